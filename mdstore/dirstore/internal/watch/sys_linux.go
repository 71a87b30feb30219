package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// remote are the file systems that other machines may write to without this kernel's knowledge, by their numbers in
// statfs(2).
var remote = map[uint32]string{
	0x6969:     "NFS",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB",
	0x517b:     "SMB",
	0x01021997: "9P",
	0x65735546: "FUSE",
	0x00c36400: "Ceph",
	0x5346414f: "AFS",
	0x6b414653: "AFS",
	0x73757245: "Coda",
	0x786f4256: "VirtualBox",
	0xbacbacbc: "VMware",
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
	0x01161970: "GFS2",
	0x7461636f: "OCFS2",
}

// eventsMissing says why there are no events for files below root, or not for all of them.
func eventsMissing(root string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(root, &st); err != nil {
		return nil // the error shows when the root is read
	}
	if name, ok := remote[uint32(st.Type)]; ok {
		return fmt.Errorf("events of files: none of what others change on a file system of type %s: %w",
			name, errors.ErrUnsupported)
	}
	return nil
}

// maxWatched returns 0: no watch takes a descriptor.
func maxWatched() int { return 0 }

// changeOf returns when the file or its attributes last changed, in Unix nanoseconds, which no program can set, and the
// file's inode.
func changeOf(info fs.FileInfo) (changed int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}
