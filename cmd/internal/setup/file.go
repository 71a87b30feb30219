package setup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A file is a configuration file: the text that was read and the text to write. An empty file counts as missing.
type file struct {
	path      string
	dir, name string // the project's folder and the path in it, which no link leads out of; for a user's file its folder
	shown     string // the path in diffs
	scope     string
	mode      fs.FileMode // its own, or for a new file
	settings  []setting
	blank     string // see place
	section   bool   // it gets or loses the section of Agents
	whole     string // the whole text that set-up gives it; "" if the file is a person's
	text      string
	want      string
}

func (opt *Options) fileAt(scope, path string, settings ...setting) *file {
	f := &file{path: path, shown: strings.TrimLeft(path, `/\`), scope: scope, mode: 0o600, settings: settings}
	f.dir, f.name = filepath.Split(path)
	if scope == Project {
		f.dir, f.mode = opt.Project, 0o644
		f.name, _ = filepath.Rel(f.dir, path)
		f.shown = f.name
	}
	return f
}

// mostBytes is more than a configuration file can need. Files of clients hold what their user has worked on, too.
const mostBytes = 64 << 20

func (f *file) changed() bool { return f.want != f.text }

// read reads the file. A missing one has no content.
func (f *file) read() error {
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) && f.scope == User {
		return nil
	}
	if err == nil {
		defer root.Close()
		f.text, err = f.look(root)
	}
	return f.wrap(err)
}

// look returns the content that the file has now, and notes its mode.
func (f *file) look(root *os.Root) (string, error) {
	info, err := root.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", f.fail(errs.InvalidPath, ": it is a link or no file (%v), and is left alone; put a file in its place, "+
			"or add the entry by hand", info.Mode())
	}
	f.mode = info.Mode().Perm()
	data, err := guard.ReadIn(root, f.name, mostBytes)
	return string(data), err
}

// commit writes the new text in one step: a program that reads the file gets the old content or the new one.
func (f *file) commit() error {
	if !f.changed() {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return f.wrap(err)
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return f.wrap(err)
	}
	defer root.Close()
	temp := f.name + ".arbor-" + rand.Text()[:10]
	if f.want != "" {
		defer root.Remove(temp) // fails after the rename
		err = f.write(root, temp)
	}
	now, lookErr := f.look(root)
	switch err = errors.Join(err, lookErr); {
	case err != nil:
	case now != f.text:
		err = f.fail(errs.Conflicting, ": another program changed it just now: do it again")
	case f.want != "":
		err = root.Rename(temp, f.name)
	default:
		err = root.Remove(f.name)
		for dir := filepath.Dir(f.name); err == nil && dir != "." && root.Remove(dir) == nil; { // fails if anything is in it
			dir = filepath.Dir(dir)
		}
	}
	return f.wrap(err)
}

// write writes the new content beside the file.
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

// wrap returns the error for a system call that failed; any other it returns as it is.
func (f *file) wrap(err error) error {
	var e *errs.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return f.fail(errs.InvalidPath, ": it cannot be read or written: %v", err)
}

func (f *file) fail(code errs.Code, message string, args ...any) error {
	e := errs.New(code, "%s%s", f.path, fmt.Sprintf(message, args...))
	e.Details = &errs.Details{Paths: []string{f.path}}
	return e
}

// EditFile changes a configuration file of Arbor's own in one step, or with dry only reports what would change. mode is
// for a new file. It follows a link, and deletes a file that becomes empty.
func EditFile(
	path string, mode fs.FileMode, dry bool, edit func(path string, src []byte) ([]byte, error),
) (*plan.Outcome, error) {
	f := &file{path: path, scope: User, mode: mode}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f.dir, f.name = filepath.Split(path)
	if err := f.read(); err != nil {
		return nil, err
	}
	data, err := edit(f.path, []byte(f.text))
	if f.want = string(data); err == nil && !dry {
		err = f.commit()
	}
	out := &plan.Outcome{DryRun: dry}
	if f.changed() {
		old := append([]byte(nil), f.text...) // nil for no file
		out.Files = []plan.FileChange{{Path: mdstore.Path(f.path), Old: old, New: data}}
	}
	return out, err
}
