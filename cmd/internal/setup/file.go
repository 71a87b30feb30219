package setup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"arbor/engine"
)

// A file is a configuration file as it was read, and what it is to be. One without a byte counts as none.
type file struct {
	path     string
	text     string
	want     string
	settings []setting
	base     string      // the project's folder, which no link may lead out of; "" for a file of the person
	shown    string      // its path in diffs: relative to the project if it lies there
	mode     fs.FileMode // its own, or the one that it is made with
}

const (
	largest   = 64 << 20                // bytes of a file; Claude Code keeps the history of all projects in the user's file
	unchanged = "; nothing was changed" // ends the errors of which that is true
)

func (opt *Options) fileAt(p place, path string, settings ...setting) *file {
	f := &file{path: path, settings: settings, shown: strings.TrimLeft(path, `/\`), mode: 0o600}
	if p.scope == Project {
		f.base, f.mode = opt.Project, 0o644
		if rel, err := filepath.Rel(f.base, path); err == nil {
			f.shown = rel
		}
	}
	return f
}

func (f *file) changed() bool { return f.want != f.text }

// open returns the folder through which the file is reached, and its name there.
func (f *file) open() (*os.Root, string, error) {
	dir, name := filepath.Split(f.path)
	if f.base != "" {
		dir, name = f.base, f.shown
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	return root, name, err
}

// read reads the file. A missing one has no content.
func (f *file) read() error {
	root, name, err := f.open()
	if err != nil && f.base == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer root.Close()
		f.text, err = f.look(root, name)
	}
	return f.fail(err)
}

// look returns the content that the file has now, and notes its mode.
func (f *file) look(root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := root.Readlink(name)
		return "", f.refuse("it is a link to %s, and what it leads to is left alone; "+
			"put a file in its place, or add the entry there by hand", to)
	case !info.Mode().IsRegular():
		return "", f.refuse("it is no regular file")
	case info.Size() > largest:
		return "", f.refuse("it has %d bytes, of which at most %d are read", info.Size(), largest)
	}
	f.mode = info.Mode().Perm()
	data, err := root.ReadFile(name)
	return string(data), err
}

// commit makes the file what it is to be, in one step: a program that reads it gets the old content or the new one.
func (f *file) commit() error {
	if !f.changed() {
		return nil
	}
	if f.base == "" {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return f.fail(err)
		}
	}
	root, name, err := f.open()
	if err != nil {
		return f.fail(err)
	}
	defer root.Close()
	dir, temp := filepath.Dir(name), name+".arbor-"+rand.Text()[:10]
	if f.want != "" {
		defer root.Remove(temp) // fails after the rename
		err = f.write(root, temp)
	}
	if err != nil {
		return f.fail(err)
	}
	switch now, err := f.look(root, name); {
	case err != nil:
		return f.fail(err)
	case now != f.text:
		return f.error(engine.Conflicting, ": another program changed it just now: do it again")
	case f.want != "":
		return f.fail(root.Rename(temp, name))
	}
	err = root.Remove(name)
	if err == nil && f.base != "" && dir != "." {
		_ = root.Remove(dir) // fails if anything else is in it
	}
	return f.fail(err)
}

// write writes the new content into another file.
func (f *file) write(root *os.Root, name string) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	w, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.WriteString(f.want)
	return errors.Join(err, w.Chmod(f.mode), w.Sync(), w.Close())
}

// fail returns the error for a system call that failed; any other it returns as it is.
func (f *file) fail(err error) error {
	var e *engine.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return f.refuse("it cannot be read or written: %v", err)
}

func (f *file) refuse(message string, args ...any) error {
	return f.error(engine.InvalidPath, fmt.Sprintf(": "+message, args...))
}

func (f *file) error(code engine.Code, message string) error {
	e := engine.Fail(code, "%s%s%s", f.path, message, unchanged)
	e.Details = &engine.Details{Paths: []string{f.path}}
	return e
}
