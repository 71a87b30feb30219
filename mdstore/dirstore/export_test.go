package dirstore

import "arbor/mdstore/dirstore/internal/disk"

// OpenThrough is Open of a vault whose commits go through wrap.
func OpenThrough(dir string, opt Options, wrap func(disk.FS) disk.FS) (*Store, error) {
	opt.Through = wrap
	return Open(dir, opt)
}
