//go:build !linux

package ops_test

import (
	"errors"
	"testing"
)

type computer struct{ address string }

func computers(*testing.T, int) ([]*computer, error) {
	return nil, errors.New("network namespaces are of Linux")
}

func (*computer) do(f func() error) error { return f() }

func (*computer) plug(bool) error { return nil }
