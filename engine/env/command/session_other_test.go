//go:build !unix

package command_test

import (
	"errors"
	"os/exec"
	"testing"
)

func session(*exec.Cmd) {}

func live() error { return nil }

func dead(*testing.T, string) {}

func attempt([]string) error { return errors.ErrUnsupported }
