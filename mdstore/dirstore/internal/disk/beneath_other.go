//go:build !linux

package disk

import (
	"os"

	"arbor/mdstore"
)

// A beneath knows no short way here.
type beneath struct{}

func openBeneath(*os.Root) *beneath { return nil }

func (*beneath) close() error                     { return nil }
func (*beneath) lstat(mdstore.Path) (Info, error) { return Info{}, errSlow }
func (*beneath) readOnce(mdstore.Path, int64, bool) ([]byte, Info, bool, error) {
	return nil, Info{}, false, errSlow
}
func (*beneath) create(mdstore.Path, []byte, mdstore.Path) error { return errSlow }
func (*beneath) sync(mdstore.Path, bool) error                   { return errSlow }
func (*beneath) exchange(mdstore.Path, mdstore.Path) error       { return errSlow }
func (*beneath) renameNew(mdstore.Path, mdstore.Path) error      { return errSlow }
func (*beneath) remove(mdstore.Path) error                       { return errSlow }
func (*beneath) named(mdstore.Path) (Info, error)                { return Info{}, errSlow }
func (*beneath) straight(mdstore.Path) bool                      { return false }
