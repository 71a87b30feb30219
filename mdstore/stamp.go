package mdstore

import (
	"context"
	"fmt"
)

// A Stamp tells one state of a file from the others by what the system says of it, without its bytes. The zero Stamp tells nothing.
type Stamp struct {
	Size  int64  // bytes
	Mtime int64  // of the last change of its bytes, Unix nanoseconds
	Ctime int64  // of the last change of anything, Unix nanoseconds, which no program can set; 0 where the system has none
	Inode uint64 // 0 where the system has none

	// Firm says that the file had been left alone for so long, when the stamp was taken, that a change after it has another stamp. A file that was
	// changed just then may be changed again within the same tick of the clock, without a trace in its stamp.
	Firm bool
}

// Same reports whether two stamps are of one state of a file: never where one of them is not firm.
func (s Stamp) Same(t Stamp) bool { return s.Firm && s == t }

// Key returns a text that only stamps of the same state of a file have; "" where the stamp is not firm.
func (s Stamp) Key() string {
	if !s.Firm {
		return ""
	}
	return fmt.Sprintf("%x.%x.%x.%x", s.Size, s.Mtime, s.Ctime, s.Inode)
}

// Stamper is implemented by stores that can tell whether a file has changed without reading it. The files that they return have stamps.
type Stamper interface {
	// Stat is that of Store.
	Stat(ctx context.Context, p Path) (Stamp, error)

	// Unchanged reports whether the file at p, which is valid, has the stamp s as it is now, and s is firm, so that it is in the state that s was taken of. It is the
	// cheapest question that there is about a file. Where it is false, Stamp tells more.
	Unchanged(p Path, s Stamp) bool
}

// Skimming is implemented by stores that can give the metadata of a workspace's nodes at once, without holding the bytes of all files.
type Skimming interface {
	Stamper

	// Skim returns what List yields under a workspace's folder: the nodes without their documents. known is what an earlier Skim returned, or nil: files that are
	// the same as then may be taken from it. With trusting, what is known from an earlier time, of this or of another process, may be taken without a look at each file; the result
	// says so by Unproven, and only commits and folders that came or went since that time are sure to show.
	Skim(ctx context.Context, under Path, known *Skimmed, trusting bool) (*Skimmed, error)

	// Keep notes what was skimmed, as it is known by now, for the next Skim of any process. It may be lost, and is worth no error.
	Keep(ctx context.Context, under Path, s *Skimmed)
}

// Skimmed is what a store knows of the files of a workspace. It must not be modified.
type Skimmed struct {
	Nodes    []Node   // those that could be read, in the order of paths
	Broken   []Broken // those that could not, in the order of paths, and the workspace's own file where that is so
	Unproven bool     // not every file was looked at
	Sequence uint64   // of a shared store: the number before the files were looked at
	Work     Work
	Private  any // of the store
}

// Broken is a file that could not be read.
type Broken struct {
	Path Path
	Err  error
}

// Work counts what a Skim has done: for tests of how the cost grows.
type Work struct {
	Stamped int // files and folders that were asked for their stamps
	Listed  int // folders
	Read    int // files
	Bytes   int // of the files read
}
