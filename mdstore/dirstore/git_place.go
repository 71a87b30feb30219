package dirstore

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"arbor/mdstore"
)

// A gitPlace finds where git keeps its state, and remembers under which stamp of that folder git was in the middle of nothing: all that git leaves there while it is
// at something comes and goes with its name in the folder.
type gitPlace struct {
	places []string // where a .git may be: in the vault's folder, and in each above it

	mu   sync.Mutex
	idle string        // guarded by mu: the folder in which git was in the middle of nothing; "" for none
	was  mdstore.Stamp // guarded by mu: of that folder then, which proves
}

// newGitPlace returns the gitPlace of a folder whose path is absolute and has no link in it.
func newGitPlace(dir string) *gitPlace {
	g := &gitPlace{}
	for below := ""; dir != below; dir = filepath.Dir(dir) {
		g.places = append(g.places, filepath.Join(dir, ".git"))
		below = dir
	}
	return g
}

// find returns the top of the working tree that the folder lies in and the folder in which git keeps its state, "" where it lies in none. In linked working
// trees and submodules a file says where that is. The info is of that folder, nil where it is not known.
func (g *gitPlace) find() (top, git string, info os.FileInfo) {
	for _, at := range g.places {
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return filepath.Dir(at), at, info
		case err == nil && info.Mode().IsRegular() && info.Size() < 1<<12:
			data, err := os.ReadFile(at)
			to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
			if err != nil || !ok {
				return "", "", nil
			}
			top = filepath.Dir(at)
			if !filepath.IsAbs(to) {
				to = filepath.Join(top, to)
			}
			info, err = os.Stat(to)
			if err != nil || !info.IsDir() {
				info = nil
			}
			return top, to, info
		}
	}
	return "", "", nil
}

// rests reports whether git was in the middle of nothing when its folder had this stamp.
func (g *gitPlace) rests(git string, now mdstore.Stamp) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.idle == git && now.Same(g.was)
}

// note remembers that git was in the middle of nothing after its folder had this stamp.
func (g *gitPlace) note(git string, was mdstore.Stamp) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle, g.was = git, was
}
