//go:build !linux

package osfs

import (
	"errors"
	"os"

	"arbor/mdstore"
)

func topOf(*os.Root) *os.File { return nil }

func (r Root) below(mdstore.Path, int) (fd int, err error) { return 0, errors.ErrUnsupported }

func (r Root) statBelow(mdstore.Path) (Info, error) { return Info{}, errors.ErrUnsupported }

func (r Root) lookBelow(mdstore.Path) (Info, error) { return Info{}, errors.ErrUnsupported }

func (r Root) readBelow(mdstore.Path, int64) (data []byte, info Info, ok bool) {
	return nil, Info{}, false
}
