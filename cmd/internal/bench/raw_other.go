//go:build !unix

package main

import (
	"io"
	"os"
	"path/filepath"
)

// A folder is where calls find their files. Here they are those of the standard library, which are not the fastest that there are.
type folder string

func openFolder(name string) (folder, error) { return folder(name), nil }

func (f folder) close() error { return nil }

func (f folder) read(name string, into []byte) (int, error) {
	file, err := os.Open(filepath.Join(string(f), name))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := io.ReadFull(file, into)
	if err == nil {
		return n, errTooLong(n, into)
	}
	return n, nil
}

func (f folder) stat(name string) error {
	_, err := os.Lstat(filepath.Join(string(f), name))
	return err
}

func (f folder) replace(name string, text []byte) error {
	to := filepath.Join(string(f), name)
	file, err := os.OpenFile(to+".tmp", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(to+".tmp", to)
}
