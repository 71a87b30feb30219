package dirtest

import (
	"fmt"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// A Trouble is a disk that refuses one call of the commits that are made on it. The zero Trouble refuses none, and counts.
type Trouble struct {
	Calls int    // made so far, reading ones among them
	At    int    // the call that fails; 0 means none
	Err   error  // what it fails with
	What  string // the call that failed, "" before
}

// Open opens the vault in a folder. Nothing waits for the disk: what is written need not survive more than the process.
func (t *Trouble) Open(dir string, opt dirstore.Options) (*dirstore.Store, error) {
	opt.Through = func(d disk.FS) disk.FS { return troubled{d, t} }
	return dirstore.Open(dir, opt)
}

func (t *Trouble) call(format string, args ...any) error {
	t.Calls++
	if t.At == 0 || t.Calls != t.At {
		return nil
	}
	t.What = fmt.Sprintf(format, args...)
	return fmt.Errorf("%s: %w", t.What, t.Err)
}

// troubled asks before each call.
type troubled struct {
	disk.FS
	t *Trouble
}

func (d troubled) Lstat(p mdstore.Path) (disk.Info, error) {
	if err := d.t.call("lstat %s", p); err != nil {
		return disk.Info{}, err
	}
	return d.FS.Lstat(p)
}

func (d troubled) ReadFile(p mdstore.Path, limit int64) ([]byte, error) {
	if err := d.t.call("read %s", p); err != nil {
		return nil, err
	}
	return d.FS.ReadFile(p, limit)
}

func (d troubled) ReadDir(p mdstore.Path) ([]disk.Entry, error) {
	if err := d.t.call("read folder %s", p); err != nil {
		return nil, err
	}
	return d.FS.ReadDir(p)
}

func (d troubled) Mkdir(p mdstore.Path) error {
	if err := d.t.call("mkdir %s", p); err != nil {
		return err
	}
	return d.FS.Mkdir(p)
}

// Create fails before it has made anything, or with half of the bytes written.
func (d troubled) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	if err := d.t.call("create %s", p); err != nil {
		return err
	}
	if err := d.t.call("write %s", p); err != nil {
		_ = d.FS.Create(p, data[:len(data)/2], like)
		return err
	}
	return d.FS.Create(p, data, like)
}

func (d troubled) Sync(p mdstore.Path) error {
	if err := d.t.call("fsync %s", p); err != nil {
		return err
	}
	_, err := d.FS.Lstat(p)
	return err
}

func (d troubled) SyncDir(p mdstore.Path) error {
	if err := d.t.call("fsync folder %s", p); err != nil || p == "" {
		return err
	}
	_, err := d.FS.Lstat(p)
	return err
}

func (d troubled) Exchange(a, b mdstore.Path) error {
	if err := d.t.call("exchange %s %s", a, b); err != nil {
		return err
	}
	return d.FS.Exchange(a, b)
}

func (d troubled) RenameNew(from, to mdstore.Path) error {
	if err := d.t.call("rename %s %s", from, to); err != nil {
		return err
	}
	return d.FS.RenameNew(from, to)
}

func (d troubled) Rename(from, to mdstore.Path) error {
	if err := d.t.call("rename %s %s", from, to); err != nil {
		return err
	}
	return d.FS.Rename(from, to)
}

func (d troubled) Remove(p mdstore.Path) error {
	if err := d.t.call("remove %s", p); err != nil {
		return err
	}
	return d.FS.Remove(p)
}

func (d troubled) Writers(p mdstore.Path) disk.Writers {
	if err := d.t.call("who has open %s", p); err != nil {
		return disk.Unknown
	}
	return d.FS.Writers(p)
}
