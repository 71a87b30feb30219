//go:build !linux

package disk

import "arbor/mdstore"

func (Root) syncAll(_, _ []mdstore.Path) ([]error, bool) { return nil, false }
