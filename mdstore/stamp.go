package mdstore

import "fmt"

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
