//go:build !unix

package pgtest

import (
	"errors"
	"os/exec"
)

func own(string) error { return errors.New("tests start PostgreSQL on Unix only") }

func as(*exec.Cmd) {}
