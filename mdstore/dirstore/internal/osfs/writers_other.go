//go:build !linux

package osfs

import "arbor/mdstore"

// Writers cannot tell here.
func (r Root) Writers(mdstore.Path) Writers { return Unknown }
