//go:build !linux

package disk

import "arbor/mdstore"

// Folder opens the folder at p.
func (r Root) Folder(p mdstore.Path) (Folder, error) { return openRootFolder(r.R, p) }
