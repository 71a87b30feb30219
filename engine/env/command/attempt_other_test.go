//go:build unix && !linux

package command_test

import "errors"

func attempt([]string) error { return errors.ErrUnsupported }
