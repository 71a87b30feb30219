package mdstore

// A Stamp identifies a state of a file by the system's data about it, without its bytes. The zero Stamp identifies
// nothing.
type Stamp struct {
	Size  int64  // bytes
	Mtime int64  // of the last change of its bytes, Unix nanoseconds
	Ctime int64  // of the last change of anything, Unix nanoseconds; no program can set it; 0 if the system has none
	Inode uint64 // 0 if the system has none

	// Proven says that the file had been left alone for two seconds when the stamp was taken, so that every later
	// change has another stamp. A file that changed less than that before may change again within one tick of the
	// clock, with the same stamp.
	Proven bool
}

// Same reports whether two stamps prove the same content of a file; it is false if one of them is unproven.
func (s Stamp) Same(t Stamp) bool { return s.Proven && s == t }
