package jail

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Hiding names folders that tools cannot see. Files in them cannot be read, listed, searched or written, by any path
// or link.
type Hiding struct {
	Name    string   // every folder of this name, in any letter case, at any depth; "" for none
	But     string   // the one folder of that name that can be seen
	Folders []string // and these folders, by their absolute paths; they need not be there
}

// Hides reports whether a folder, by its path without links, is hidden or lies in one that is.
func (h Hiding) Hides(dir string) bool {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && h.hides(at, info, func() (fs.FileInfo, error) { return os.Lstat(filepath.Join(filepath.Dir(at), h.Name)) }) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// hides reports whether a file, nil if there is none yet, is itself a hidden folder. A file system may accept other
// spellings of a name: named returns the file that Name means in the same folder.
func (h Hiding) hides(at string, info fs.FileInfo, named func() (fs.FileInfo, error)) bool {
	is := func(other fs.FileInfo, err error) bool { return err == nil && info != nil && os.SameFile(info, other) }
	if info != nil && !info.IsDir() {
		return h.Name != "" && strings.EqualFold(filepath.Base(at), h.Name)
	}
	if h.Name != "" && (strings.EqualFold(filepath.Base(at), h.Name) || info != nil && is(named())) {
		return h.But == "" || !is(os.Stat(h.But))
	}
	for _, dir := range h.Folders {
		if strings.EqualFold(at, filepath.Clean(dir)) || is(os.Stat(dir)) {
			return true
		}
	}
	return false
}

// hidden refuses an entry of a folder, by its path in the root, that calls do not see.
func (r *Root) hidden(dir *os.Root, rel string, info fs.FileInfo) error {
	if only := r.opt.Only; only != "" && rel != "." && !strings.HasPrefix(rel+"/", only+"/") {
		return refuse(PathProtected, "%q: only the folder %s can be used here, as %[2]s/a.md", rel, only)
	}
	at := filepath.Join(r.dir, filepath.FromSlash(rel))
	if r.opt.Hidden.hides(at, info, func() (fs.FileInfo, error) { return dir.Lstat(r.opt.Hidden.Name) }) {
		return refuse(PathProtected, "%q is Arbor's own folder, or a vault's: no tool sees what is in it", rel)
	}
	return nil
}

// find opens the folder that a path lies in, part by part, and returns the path in the root without links, and the
// file. Links are followed as long as they stay in the root.
func (r *Root) find(rel string) (dir *os.Root, real string, info fs.FileInfo, err error) {
	for range maxLinks {
		link := ""
		if dir, real, link, info, err = r.follow(rel); err != nil || link == "" {
			return dir, real, info, failed(rel, err)
		}
		rel = link
	}
	return nil, "", nil, refuse(PathOutside, "%q leads from link to link", rel)
}

// maxLinks is how many links a path may have.
const maxLinks = 40

// folder is find for a folder, which it opens; why is the error for any other file.
func (r *Root) folder(rel, why string) (dir *os.Root, real string, info fs.FileInfo, err error) {
	parent, real, info, err := r.find(rel)
	if err != nil {
		return nil, "", nil, err
	}
	defer parent.Close()
	switch {
	case !info.IsDir():
		return nil, "", nil, refuse(InvalidParams, "%q: %s", rel, why)
	case real == ".":
		dir, err = parent.OpenRoot(".")
	default:
		dir, err = r.step(parent, path.Base(real), real, false)
	}
	return dir, real, info, failed(rel, err)
}

// follow is find up to the first link; link is then the path that it leads to.
func (r *Root) follow(rel string) (dir *os.Root, real, link string, info fs.FileInfo, err error) {
	if dir, err = r.root.OpenRoot("."); err != nil {
		return nil, "", "", nil, err
	}
	drop := func(err error) (*os.Root, string, string, fs.FileInfo, error) {
		dir.Close()
		return nil, "", "", nil, err
	}
	parts := strings.Split(rel, "/")
	for i, name := range parts {
		at := path.Join(parts[:i+1]...)
		if info, err = dir.Lstat(name); err == nil {
			err = r.hidden(dir, at, info)
		}
		switch {
		case err != nil:
			return drop(err)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := dir.Readlink(name)
			link = path.Join(path.Dir(at), filepath.ToSlash(to), path.Join(parts[i+1:]...))
			if err == nil && (filepath.IsAbs(to) || !filepath.IsLocal(filepath.FromSlash(link))) {
				err = refuse(PathOutside, "%q leads out of the environment by a link", rel)
			}
			if err != nil {
				return drop(err)
			}
			dir.Close()
			return nil, "", link, nil, nil
		case i == len(parts)-1:
			return dir, at, "", info, nil
		}
		next, err := r.step(dir, name, at, false)
		if err != nil {
			return drop(err)
		}
		dir.Close()
		dir = next
	}
	return drop(fs.ErrNotExist) // a path has a part
}
