package watch

import (
	"path"
	"strings"
)

// A folder is a watched folder.
type folder struct {
	name   string
	parent *folder
	subs   map[string]*folder
	files  int  // how many entries it had when it was listed
	listed bool // the source has confirmed the watch under this path
	gone   bool // it is no longer part of the tree
}

// find returns the folder at the path rel below f, nil if none is known.
func (f *folder) find(rel string) *folder {
	for f != nil && rel != "" {
		var name string
		name, rel, _ = strings.Cut(rel, "/")
		f = f.subs[name]
	}
	return f
}

// add adds the folder at the path rel, whose parent is f.
func (f *folder) add(rel string) *folder {
	sub := &folder{name: path.Base(rel), parent: f}
	if f.subs == nil {
		f.subs = map[string]*folder{}
	}
	f.subs[sub.name] = sub
	return sub
}

// path returns the path of f; that of the root is "".
func (f *folder) path() string {
	if f.parent == nil {
		return ""
	}
	return path.Join(f.parent.path(), f.name)
}

// detach removes f and all below it from the tree, and calls each for each of them.
func (f *folder) detach(each func(f *folder, path string)) {
	if f.parent != nil {
		delete(f.parent.subs, f.name)
	}
	f.visit(f.path(), each)
}

func (f *folder) visit(at string, each func(*folder, string)) {
	f.gone = true
	each(f, at)
	for name, sub := range f.subs {
		sub.visit(path.Join(at, name), each)
	}
}

// parentOf returns the path of the folder that holds path.
func parentOf(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
