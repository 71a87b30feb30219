//go:build !linux && !darwin

package osfs

import "arbor/mdstore"

// Stat describes what is at p itself.
func (d *Dir) Stat(p mdstore.Path) (Info, error) { return Root{R: d.root}.Lstat(p) }
