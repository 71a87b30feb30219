//go:build !linux

package osfs

import (
	"os"

	"arbor/mdstore"
)

func topOf(*os.Root) *os.File { return nil }

func (r Root) below(mdstore.Path, int) (fd int, ok bool) { return 0, false }

func (r Root) statBelow(mdstore.Path) (info Info, ok bool) { return Info{}, false }

func (r Root) lookBelow(mdstore.Path) (info Info, ok bool) { return Info{}, false }

func (r Root) readBelow(mdstore.Path, int64) (data []byte, info Info, ok bool) {
	return nil, Info{}, false
}
