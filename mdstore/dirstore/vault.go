package dirstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A vault is the part of a Store that needs no lock.
type vault struct {
	dir    string
	disk   osfs.Root
	opened os.FileInfo // the folder that was opened
	log    *slog.Logger
	now    func() time.Time // time.Now, except in tests
	kinds  mdstore.Kinds

	strayPatterns func() []*regexp.Regexp // compiled at the first call: most commands look for no strays
}

// Dir returns the absolute path of the vault's folder.
func (v *vault) Dir() string { return v.dir }

// InPlace reports an error if the vault's folder is no longer the one that was opened.
func (v *vault) InPlace() error {
	now, err := os.Stat(v.dir)
	if err != nil {
		return fmt.Errorf("vault %s: was moved or deleted; open it at its new place: %w", v.dir, err)
	}
	if !os.SameFile(v.opened, now) {
		return fmt.Errorf("vault %s: %w", v.dir, mdstore.ErrReplaced)
	}
	return nil
}

// makeLocal makes .local/ if it is missing, and in it a .gitignore that keeps it out of git. The vault's own .gitignore
// does so too, but git removes it when a branch without the vault is checked out. The files of .local/, such as a
// token, stay behind then and must not be added to git.
func (v *vault) makeLocal() error {
	if err := v.disk.Mkdir(mdstore.LocalDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	v.disk.MakePrivate(mdstore.LocalDir) // earlier versions made it readable to others
	if err := v.disk.Create(localIgnore, []byte("*\n"), ""); err != nil && !errors.Is(err, fs.ErrExist) {
		v.log.Debug("what belongs to this machine cannot be kept out of git", "error", err)
	}
	return nil
}

// inTheWay returns an error if something else is at the place of a file or folder in .local/ that every commit needs,
// or if this user may not write the lock.
func (v *vault) inTheWay() error {
	for _, p := range []struct {
		path   mdstore.Path
		folder bool
	}{{mdstore.LocalDir, true}, {lockPath, false}, {generationPath, false}, {journal.Dir, true}} {
		if err := osfs.InTheWay(v.disk, p.path, p.folder); err != nil {
			return err // one error is enough
		}
	}
	return v.mayMake(lockPath)
}

// mayMake returns an error if this user may not write to p or, if nothing is at p, to the closest folder above it.
func (v *vault) mayMake(p mdstore.Path) error {
	for ; ; p = p.Dir() {
		err := v.disk.MayWrite(p)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case p == "":
			return nil // the vault is gone; reading it reports that
		}
	}
}

// linked returns an *mdoc.UnreadableError if p is a symbolic link.
func (v *vault) linked(p mdstore.Path) error {
	info, err := v.disk.Stat(p)
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		return osfs.Unreadable(p, osfs.CodeSymlink, "is a symbolic link, which is not followed; put the folder itself here")
	}
	return nil
}

func (v *vault) holder() string {
	data, err := v.disk.ReadHead(lockPath, 100)
	if who := strings.TrimSpace(string(data)); err == nil && who != "" {
		return who
	}
	return "another process"
}

// plainFolder reports whether p is a folder, and no link to one.
func (v *vault) plainFolder(p mdstore.Path) bool {
	info, err := v.disk.Stat(p)
	return err == nil && info.Mode.IsDir()
}

// dropLate removes from the trash the saves that came after their file's folder was removed, once they are 30 days old.
func (v *vault) dropLate() {
	late, _ := fs.Glob(v.disk.R.FS(), string(mdstore.TrashPath("late-*", "")))
	for _, name := range late {
		if info, err := v.disk.R.Lstat(name); err == nil && v.now().Sub(info.ModTime()) > 30*24*time.Hour {
			_ = v.disk.R.RemoveAll(name) // if it fails, the next time
		}
	}
}

// replace writes data to a file of .local/ through a temporary file. The file is not made durable.
func (v *vault) replace(p mdstore.Path, data []byte, perm fs.FileMode) error {
	temp := p.Dir().Join(TempPrefix + rand.Text())
	f, err := v.disk.R.OpenFile(string(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = v.disk.Rename(temp, p)
	}
	if err != nil {
		_ = v.disk.Remove(temp)
	}
	return err
}
