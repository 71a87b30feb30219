//go:build !linux

package disk

import "arbor/mdstore"

// Writers cannot tell here.
func (r Root) Writers(mdstore.Path) Writers { return Unknown }
