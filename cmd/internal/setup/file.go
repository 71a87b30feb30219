package setup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"arbor/engine"
)

// A file is a configuration file as it was read.
type file struct {
	config
	shown string      // in diffs: relative to the project if it lies there
	base  string      // the project's folder, which no link may lead out of; "" for a file of the person
	mode  fs.FileMode // its own, or the one that it is made with
}

const (
	largest   = 64 << 20                // bytes of a file; Claude Code keeps the history of all projects in the user's file
	unchanged = "; nothing was changed" // ends the errors of which that is true
)

func (opt *Options) fileAt(p place, path string) *file {
	f := &file{config: config{path: path}, shown: strings.TrimLeft(path, `/\`), mode: 0o600}
	if p.scope == Project {
		f.base, f.mode = opt.Project, 0o644
		if rel, err := filepath.Rel(f.base, path); err == nil {
			f.shown = rel
		}
	}
	return f
}

// open returns the folder through which the file is reached, and its name there.
func (f *file) open() (*os.Root, string, error) {
	dir, name := filepath.Split(f.path)
	if f.base != "" {
		dir = f.base
		name, _ = filepath.Rel(f.base, f.path)
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	return root, name, err
}

// read reads the file. A missing one has no content.
func (f *file) read() error {
	root, name, err := f.open()
	if f.base == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return f.fail(err)
	}
	defer root.Close()
	now, mode, err := f.look(root, name)
	if f.config = now; now.exists {
		f.mode = mode
	}
	return err
}

// look returns the content and mode that the file has now.
func (f *file) look(root *os.Root, name string) (now config, mode fs.FileMode, err error) {
	now.path = f.path
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return now, 0, nil
	case err != nil:
		return now, 0, f.fail(err)
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := root.Readlink(name)
		return now, 0, f.refuse("it is a link to %s, and what it leads to is left alone; put a file in its place, or add the entry there by hand", to)
	case !info.Mode().IsRegular():
		return now, 0, f.refuse("it is no regular file")
	case info.Size() > largest:
		return now, 0, f.refuse("it has %d bytes, of which at most %d are read", info.Size(), largest)
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return now, 0, f.fail(err)
	}
	return config{f.path, string(data), true}, info.Mode().Perm(), nil
}

// mentions reports whether a file that cannot be edited may hold a word, itself or where a link leads to.
func (f *file) mentions(word string) bool {
	info, err := os.Stat(f.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largest {
		return !errors.Is(err, fs.ErrNotExist)
	}
	data, err := os.ReadFile(f.path)
	return err != nil || strings.Contains(string(data), word)
}

// commit makes the file what it is to be, in one step: a program that reads it gets the old content or the new one.
func (e *edit) commit() error {
	f := e.file
	if !e.changed() {
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
	if e.want.exists {
		return f.replace(root, name, e.want.text)
	}
	if err := f.same(root, name); err != nil {
		return err
	}
	if err := root.Remove(name); err != nil {
		return f.fail(err)
	}
	if dir := filepath.Dir(name); f.base != "" && dir != "." {
		_ = root.Remove(dir) // fails where anything else is in it
	}
	return nil
}

// replace writes the new content beside the file and renames it into place.
func (f *file) replace(root *os.Root, name, text string) (err error) {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return f.fail(err)
	}
	temp := name + ".arbor-" + rand.Text()[:10]
	w, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f.fail(err)
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	_, err = io.WriteString(w, text)
	err = errors.Join(err, w.Chmod(f.mode), w.Sync(), w.Close())
	if err != nil {
		return f.fail(err)
	}
	if err := f.same(root, name); err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		return f.fail(err)
	}
	return nil
}

// same fails if the file is no longer what was read.
func (f *file) same(root *os.Root, name string) error {
	now, _, err := f.look(root, name)
	if err == nil && now != f.config {
		err = f.error(engine.Conflicting, "another program changed it just now: do it again")
	}
	return err
}

func (f *file) refuse(message string, args ...any) error {
	return f.error(engine.InvalidPath, fmt.Sprintf(message, args...))
}

// fail returns the error for a system call that failed.
func (f *file) fail(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return f.refuse("it cannot be read or written: %v", err)
}

func (f *file) error(code engine.Code, message string) error {
	e := engine.Fail(code, "%s: %s%s", f.path, message, unchanged)
	e.Details = &engine.Details{Paths: []string{f.path}}
	return e
}

// nameChanged adds to an error which files were changed before it.
func nameChanged(done []*edit, err error) error {
	var names []string
	for _, e := range done {
		if e.changed() {
			names = append(names, e.file.path)
		}
	}
	if len(names) == 0 {
		return err
	}
	e := *engine.AsError(err)
	e.Message = strings.TrimSuffix(e.Message, unchanged) + "; changed already: " + strings.Join(names, ", ") + ", and doing it again brings the rest"
	return &e
}
