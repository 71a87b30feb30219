package watch

import "strings"

// A folder is one that is watched, or that was when its place in the tree was made.
type folder struct {
	name   string
	parent *folder
	subs   map[string]*folder
	files  int  // how much was in it when it was listed
	listed bool // the source has confirmed the watch under this path
	gone   bool // no part of the tree any longer
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

// add makes the folder at the path rel, whose parent is f.
func (f *folder) add(rel string) *folder {
	sub := &folder{name: rel[strings.LastIndexByte(rel, '/')+1:], parent: f}
	if f.subs == nil {
		f.subs = map[string]*folder{}
	}
	f.subs[sub.name] = sub
	return sub
}

// path returns where f is; the root of the tree is "".
func (f *folder) path() string {
	if f.parent == nil {
		return ""
	}
	return join(f.parent.path(), f.name)
}

// detach takes f and all below it out of the tree, and calls each with the path of each.
func (f *folder) detach(each func(f *folder, path string)) {
	if f.parent != nil {
		delete(f.parent.subs, f.name)
	}
	f.leave(f.path(), each)
}

func (f *folder) leave(path string, each func(*folder, string)) {
	f.gone = true
	each(f, path)
	for name, sub := range f.subs {
		sub.leave(join(path, name), each)
	}
}

// parentOf returns the path of the folder that path is in.
func parentOf(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
