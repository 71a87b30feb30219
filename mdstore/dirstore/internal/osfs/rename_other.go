//go:build !linux && !darwin

package osfs

import (
	"errors"
	"os"
)

func exchange(*os.File, string, *os.File, string) error  { return errors.ErrUnsupported }
func renameNew(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }
