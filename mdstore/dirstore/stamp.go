package dirstore

import (
	"context"
	"io/fs"
	"time"

	"arbor/mdstore"
)

// quiet is how long a file must have been left alone for its stamp to be firm. The coarsest clock of a file system, FAT's, ticks every two seconds; the rest is
// for the clock of a server that is a little behind.
const quiet = 2500 * time.Millisecond

// firm says of a stamp that was taken after a moment whether a later change has another one. A time that is to come says nothing: its clock is another one.
func firm(s mdstore.Stamp, began time.Time) mdstore.Stamp {
	s.Firm = s != (mdstore.Stamp{}) && max(s.Mtime, s.Ctime) < began.Add(-quiet).UnixNano()
	return s
}

// proof reports whether a later change of what has a stamp gives it another one, whoever makes the change: no program can set the time of change of an inode.
func proof(s mdstore.Stamp) bool { return s.Firm && s.Ctime != 0 && s.Inode != 0 }

// Stamp returns the stamp of the file at p, as it is now. It does not open the file: that it may not be read only Read tells.
func (s *Store) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	if err := ctx.Err(); err != nil {
		return mdstore.Stamp{}, err
	}
	if !p.Valid() {
		return mdstore.Stamp{}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrInvalid}
	}
	began := s.now()
	info, err := s.disk.Look(p, mdstore.MaxFileSize)
	if err != nil {
		return mdstore.Stamp{}, err
	}
	return firm(info.Stamp, began), nil
}

// Unchanged reports whether the file at p has that stamp still. One that was firm once is firm: what is written after that has a later time.
func (s *Store) Unchanged(p mdstore.Path, stamp mdstore.Stamp) bool {
	return stamp.Firm && s.disk.Has(p, stamp)
}

var _ mdstore.Stamper = (*Store)(nil)
