package importtanmi

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"sort"
)

// maxRead is the size in bytes beyond which a file is not read. The graph of 50,000 nodes has about half of it.
const maxRead = 64 << 20

// A folder is a listed directory. Only what the listing calls a regular file or a directory is opened: links are not followed, and a
// name that comes out of a file never becomes a path.
type folder struct {
	fsys    fs.FS
	path    string // "." at the top
	names   []string
	entries map[string]fs.DirEntry
	used    map[string]bool // the names that somebody asked for
	rep     *report
}

func openFolder(fsys fs.FS, p string, rep *report) (*folder, error) {
	list, err := fs.ReadDir(fsys, p)
	f := &folder{fsys: fsys, path: p, entries: map[string]fs.DirEntry{}, used: map[string]bool{}, rep: rep}
	for _, e := range list {
		f.names = append(f.names, e.Name())
		f.entries[e.Name()] = e
	}
	sort.Strings(f.names)
	if len(list) > 0 && err != nil {
		rep.warn(p, "the listing of this folder is incomplete: %v", reason(err))
		err = nil
	}
	return f, err
}

// at returns the path of a name in the folder.
func (f *folder) at(name string) string { return path.Join(f.path, name) }

func (f *folder) isFile(name string) bool {
	e, ok := f.entries[name]
	return ok && e.Type().IsRegular()
}

func (f *folder) isDir(name string) bool {
	e, ok := f.entries[name]
	return ok && e.IsDir()
}

func (f *folder) isLink(name string) bool {
	e, ok := f.entries[name]
	return ok && e.Type()&fs.ModeSymlink != 0
}

// sub opens a folder below f. ok is false where there is none; one that cannot be listed is a warning.
func (f *folder) sub(name string) (sub *folder, ok bool) {
	e, there := f.entries[name]
	if !there {
		return nil, false
	}
	first := !f.used[name]
	f.used[name] = true
	if !e.IsDir() {
		if first {
			f.rep.warn(f.at(name), "is %s where a folder is expected: not read", entryKind(e.Type()))
		}
		return nil, false
	}
	sub, err := openFolder(f.fsys, f.at(name), f.rep)
	if err != nil {
		if first {
			f.rep.warn(f.at(name), "cannot be listed: %v", reason(err))
		}
		return nil, false
	}
	return sub, true
}

// read returns what a file holds. ok is false where there is none; one that cannot be read is a warning.
func (f *folder) read(name string) (data []byte, ok bool) {
	e, there := f.entries[name]
	if !there {
		return nil, false
	}
	f.used[name] = true
	if !e.Type().IsRegular() {
		f.rep.warn(f.at(name), "is %s where a file is expected: not read", entryKind(e.Type()))
		return nil, false
	}
	data, err := readFile(f.fsys, f.at(name))
	if err != nil {
		f.rep.warn(f.at(name), "cannot be read: %v", reason(err))
		return nil, false
	}
	return data, true
}

var errTooLarge = errors.New("it is larger than 64 MiB")

func readFile(fsys fs.FS, p string) ([]byte, error) {
	file, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if info.Size() > maxRead {
		return nil, errTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if err == nil && len(data) > maxRead {
		err = errTooLarge
	}
	return data, err
}

// entryKind names what a directory entry is.
func entryKind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	case m.IsRegular():
		return "a file"
	}
	return "no regular file"
}

// reason is an error without the path, which the warning names already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
