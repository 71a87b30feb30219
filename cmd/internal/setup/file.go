package setup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"arbor/engine"
)

// A file is a configuration file as it was read.
type file struct {
	path    string
	shown   string // in diffs: relative to the project where it lies there
	base    string // the folder that it may not be outside of; "" for a person's own file, who may have linked folders as they like
	private bool   // nobody else reads it, should it be made
	there   bool
	content string
	mode    fs.FileMode
}

const largest = 64 << 20 // bytes of a configuration file; Claude Code keeps the history of all projects in the one of a person

func (s *Setup) at(p place, path string) *file {
	f := &file{path: path, shown: strings.TrimLeft(path, `/\`), private: p.scope == User}
	if p.scope == Project {
		f.base = s.Project
		if rel, err := filepath.Rel(s.Project, path); err == nil {
			f.shown = rel
		}
	}
	return f
}

// open returns the folder that the file is reached through, and its name in there. No link leads out of a project's folder.
func (f *file) open() (*os.Root, string, error) {
	dir, name := filepath.Split(f.path)
	if f.base != "" {
		dir = f.base
		name, _ = filepath.Rel(f.base, f.path)
	}
	root, err := os.OpenRoot(filepath.Clean(dir))
	return root, name, err
}

// read reads the file. One that is missing has no content.
func (f *file) read() error {
	root, name, err := f.open()
	if err != nil {
		if f.base == "" && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return f.fail(err)
	}
	defer root.Close()
	f.there, f.content, f.mode, err = f.look(root, name)
	return err
}

func (f *file) look(root *os.Root, name string) (there bool, content string, mode fs.FileMode, err error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "", 0, nil
	case err != nil:
		return false, "", 0, f.fail(err)
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := root.Readlink(name)
		return false, "", 0, f.refuse("it is a link to %s, and what it leads to is left alone; put a file in its place, or add the entry there by hand", to)
	case !info.Mode().IsRegular():
		return false, "", 0, f.refuse("it is no regular file")
	case info.Size() > largest:
		return false, "", 0, f.refuse("it has %d bytes, of which at most %d are read", info.Size(), int64(largest))
	}
	r, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false, "", 0, f.fail(err)
	}
	defer r.Close()
	if now, err := r.Stat(); err != nil || !os.SameFile(info, now) {
		return false, "", 0, f.moved()
	}
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return false, "", 0, f.fail(err)
	}
	return true, string(data), info.Mode().Perm(), nil
}

// mentions reports whether a file that could not be read as it should may hold a word, wherever it lies and in whatever form.
func (f *file) mentions(word string) bool {
	info, err := os.Stat(f.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return true
	}
	data, err := os.ReadFile(f.path)
	return err != nil || strings.Contains(string(data), word)
}

// commit brings a job's file to what it is to be, in one step: who reads it finds the old content or the new one.
func (s *Setup) commit(j *job) error {
	if !j.changed() {
		return nil
	}
	f := j.file
	dir := filepath.Dir(f.path)
	if f.base == "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return f.fail(err)
		}
	}
	root, name, err := f.open()
	if err != nil {
		return f.fail(err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return f.fail(err)
	}
	if !j.keep {
		if err := f.same(root, name); err != nil {
			return err
		}
		if err := root.Remove(name); err != nil {
			return f.fail(err)
		}
		at := filepath.Dir(name)
		if info, err := root.Lstat(at); f.base != "" && at != "." && err == nil && info.IsDir() {
			_ = root.Remove(at) // goes only where nothing else is in it: then set-up made it, or nobody misses it
		}
		return nil
	}
	return f.replace(root, name, j.want)
}

// replace writes the file beside itself and renames it into place.
func (f *file) replace(root *os.Root, name, content string) (err error) {
	mode := f.mode
	if !f.there {
		if mode = 0o644; f.private {
			mode = 0o600
		}
	}
	start := mode
	if f.there {
		start = 0o600
	}
	temp := name + ".arbor-" + rand.Text()[:10]
	w, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, start)
	if err != nil {
		return f.fail(err)
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	_, err = io.WriteString(w, content)
	if err == nil && f.there {
		err = w.Chmod(mode)
	}
	if err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return f.fail(err)
	}
	if err = f.same(root, name); err != nil {
		return err
	}
	if err = root.Rename(temp, name); err != nil {
		return f.fail(err)
	}
	f.settle(root, name)
	return nil
}

// settle makes the new name last through a crash. Where a folder cannot be synced, the system sees to it by itself.
func (f *file) settle(root *os.Root, name string) {
	if runtime.GOOS == "windows" {
		return
	}
	if d, err := root.Open(filepath.Dir(name)); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// same fails where the file is no longer what was read.
func (f *file) same(root *os.Root, name string) error {
	there, content, _, err := f.look(root, name)
	if err != nil {
		return err
	}
	if there != f.there || content != f.content {
		return f.moved()
	}
	return nil
}

func (f *file) moved() error {
	return f.detailed(engine.Fail(engine.Conflicting, "%s: another program changed it just now: do it again%s", f.path, unchanged))
}

func (f *file) refuse(format string, args ...any) error {
	return f.detailed(engine.Fail(engine.InvalidPath, "%s: %s%s", f.path, fmt.Sprintf(format, args...), unchanged))
}

// fail is the error of a call that could not be made.
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

func (f *file) detailed(e *engine.Error) error {
	e.Details = &engine.Details{Paths: []string{f.path}}
	return e
}

const unchanged = "; nothing was changed" // ends the errors of which that holds

// after adds to an error which files are changed already.
func after(done []job, err error) error {
	var names []string
	for _, j := range done {
		if j.changed() {
			names = append(names, j.file.path)
		}
	}
	if len(names) == 0 {
		return err
	}
	e := *engine.AsError(err)
	e.Message = strings.TrimSuffix(e.Message, unchanged) + "; changed already: " + strings.Join(names, ", ") + ", and doing it again brings the rest"
	return &e
}
