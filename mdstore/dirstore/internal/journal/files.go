package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// read returns the bytes of a managed file, nil if it does not exist.
func read(d osfs.FS, p mdstore.Path) ([]byte, error) {
	data, _, err := describe(d, p)
	return data, err
}

// describe is read, and also returns the file's description.
func describe(d osfs.FS, p mdstore.Path) ([]byte, osfs.Info, error) {
	data, info, err := d.ReadFile(p, mdstore.MaxSize(p))
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, info, osfs.UnlessMissing(err)
}

func exists(d osfs.FS, p mdstore.Path) (bool, error) {
	_, err := d.Lstat(p)
	return err == nil, osfs.UnlessMissing(err)
}

// same compares contents; nil stands for no file.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func version(data []byte) mdstore.Version {
	if data == nil {
		return mdstore.Version{}
	}
	return mdstore.VersionOf(data)
}

// folders is a set of folders whose entries are to be made durable.
type folders map[mdstore.Path]bool

// flush makes the entries of the folders durable. A folder that does not exist any more is skipped.
func flush(d osfs.FS, set folders) error {
	err := osfs.SyncAll(d, nil, slices.Sorted(maps.Keys(set)))
	if err == nil {
		clear(set)
	}
	return err
}

// mkdirAll makes a folder and those above it. It returns the folders that it made, and adds the folders above them to
// set.
func mkdirAll(d osfs.FS, set folders, dir mdstore.Path) (made []mdstore.Path, err error) {
	if dir == "" {
		return nil, nil
	}
	info, err := d.Lstat(dir)
	switch {
	case err == nil && info.Mode.IsDir():
		return nil, nil
	case err == nil:
		return nil, fmt.Errorf("%s: a file is where a folder is needed", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if made, err = mkdirAll(d, set, dir.Dir()); err != nil {
		return made, err
	}
	set[dir.Dir()] = true
	if err = d.Mkdir(dir); err == nil {
		return append(made, dir), nil
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return made, err
}

// nearest returns dir or the closest folder above it that exists.
func nearest(d osfs.FS, dir mdstore.Path) (mdstore.Path, error) {
	for ; dir != ""; dir = dir.Dir() {
		if there, err := exists(d, dir); there || err != nil {
			return dir, err
		}
	}
	return "", nil
}
