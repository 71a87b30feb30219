package command

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arbor/mdstore/guard"
)

// A Protected lists what a program may not write, or not see. Names match in any case of letters.
type Protected struct {
	Names   []string // files and folders of these names, at any depth, are read-only
	Folders []string // and these, by their paths
	Hidden  []string // folders that it never sees into, by their paths
	Local   string   // folders of this name are hidden, too; "" for none
	But     string   // the one folder of that name that is not protected
	Mark    string   // a file; if a folder Local contains it, the folder around Local is read-only
}

// A reach is what a program may reach. Each way to confine carries it out.
type reach struct {
	Root    string   // is read and written
	Kept    []string // of Root, is read only
	Read    []string // is read besides
	Hidden  []string // can be neither read nor written, wherever it is, except Home
	Sockets []string // in Root and Read, cannot be seen; nil with Network
	Home    string   // is read and written
	Temp    string   // is read and written
	Network bool     // the whole network; if false, only a loopback of its own
}

// A survey lists the read-only parts of a root, and the hidden parts of it and of the folders that are read.
type survey struct {
	kept   map[string]fs.FileInfo // no links
	named  map[string]fs.FileInfo // the files with a protected name, including links
	hidden []string

	sockets []string // that are files
}

func newSurvey() *survey {
	return &survey{kept: map[string]fs.FileInfo{}, named: map[string]fs.FileInfo{}}
}

// surveyed looks through the root, and the folders that are read besides.
func surveyed(ctx context.Context, s Spec) (*survey, error) {
	found, p := newSurvey(), s.Protected
	for _, dir := range p.Hidden {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			found.hidden = append(found.hidden, real)
		}
	}
	for _, dir := range append([]string{s.Dir}, s.Read...) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("%s, which the program is to read, is not there (%w)", dir, err)
		}
		for at := real; at != filepath.Dir(at); at = filepath.Dir(at) {
			if slices.Contains(found.hidden, at) || p.hides(at) {
				return nil, fmt.Errorf("%s cannot be reached by a program: it lies in %s, which is Arbor's own", dir, at)
			}
			if p.keeps(at) && dir == s.Dir { // a root in .git, as a whole
				found.keep(s, s.Dir)
			}
		}
		if err := found.walk(ctx, s, real); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// keeps reports whether a file or folder is read-only by its name or path.
func (p Protected) keeps(at string) bool {
	return slices.ContainsFunc(p.Names, func(name string) bool { return strings.EqualFold(name, filepath.Base(at)) }) || slices.Contains(p.Folders, at)
}

// hides reports whether a folder is hidden by its name.
func (p Protected) hides(at string) bool {
	return p.Local != "" && strings.EqualFold(p.Local, filepath.Base(at)) && at != p.But
}

// walk looks through a folder. It skips what it cannot read: the program cannot read that either.
func (found *survey) walk(ctx context.Context, s Spec, dir string) error {
	p, ends := s.Protected, context.Cause(ctx)
	return cmp.Or(filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if ends = context.Cause(ctx); ends != nil {
			return fs.SkipAll
		}
		switch {
		case err != nil || at == dir:
		case d.Type() == fs.ModeSocket:
			found.sockets = append(found.sockets, at)
		case d.IsDir() && p.hides(at):
			found.hidden = append(found.hidden, at)
			if _, err := os.Lstat(filepath.Join(at, p.Mark)); p.Mark != "" && err == nil {
				found.keep(s, filepath.Dir(at))
			}
			return fs.SkipDir
		case p.keeps(at):
			found.keep(s, at)
			if local := filepath.Join(at, p.Local); d.IsDir() && p.Local != "" {
				if info, err := os.Stat(local); err == nil && info.IsDir() {
					found.hidden = append(found.hidden, local)
				}
				entries, _ := os.ReadDir(at) // a socket, as git's own services have
				for _, e := range entries {
					if e.Type() == fs.ModeSocket {
						found.sockets = append(found.sockets, filepath.Join(at, e.Name()))
					}
				}
				return fs.SkipDir
			}
		}
		return nil
	}), ends)
}

// keep notes a file or folder of the root that is read-only, and what it leads to: a link, or the file .git of a work
// tree or submodule.
func (found *survey) keep(s Spec, at string) {
	info, err := os.Lstat(at)
	if err != nil || !below(s.Dir, at) {
		return
	}
	if s.Protected.keeps(at) {
		found.named[at] = info
	}
	switch info.Mode().Type() {
	case fs.ModeSymlink:
	case 0:
		found.kept[at] = info
		data, err := guard.ReadFile(filepath.Dir(at), filepath.Base(at), maxGitFile)
		to, ok := strings.CutPrefix(string(data), "gitdir: ")
		if err != nil || !ok {
			return
		}
		if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	default:
		found.kept[at] = info
		return
	}
	if real, err := filepath.EvalSymlinks(at); err == nil && below(s.Dir, real) && real != s.Dir {
		if info, err := os.Lstat(real); err == nil {
			found.kept[real] = info
		}
	}
}

const maxGitFile = 4096 // bytes

// reach returns what a program may reach.
func (found *survey) reach(s Spec, temp string) reach {
	r := reach{Root: s.Dir, Read: s.Read, Hidden: found.hidden, Home: cmp.Or(s.Home, temp), Temp: temp, Network: s.Network}
	r.Kept = slices.Sorted(maps.Keys(found.kept))
	if !s.Network {
		r.Sockets = found.sockets
	}
	return r
}

// made returns what was made or replaced since the survey, and would have been read-only.
func (found *survey) made(ctx context.Context, s Spec) (all []string, err error) {
	now := newSurvey()
	if err := now.walk(ctx, s, s.Dir); err != nil {
		return nil, err
	}
	for p, info := range now.named {
		was := found.named[p]
		same := was != nil && os.SameFile(was, info) && was.Mode() == info.Mode() // inode numbers are reused
		if same && (info.IsDir() || was.ModTime().Equal(info.ModTime()) && was.Size() == info.Size()) {
			continue
		}
		rel, err := filepath.Rel(s.Dir, p)
		if err != nil {
			return nil, err
		}
		all = append(all, filepath.ToSlash(rel))
	}
	slices.Sort(all)
	return all, nil
}

// below reports whether a path is a folder or lies in it. Both are absolute and have no links.
func below(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && filepath.IsLocal(rel)
}

// refusals maps messages of programs that were refused something, in lower case, to what a definition can ask for.
var refusals = []struct {
	network bool
	words   []string
	hint    string
}{
	{true, []string{"network is unreachable", "enetunreach", "connection refused", "econnrefused", "name resolution", "could not resolve",
		"could not connect", "couldn't connect", "failed to connect",
		"no such host", "eai_again", "socket: permission denied", "bad system call"},
		`it has no network but a loopback of its own, if any; "network": true in its definition asks a person for more`},
	{false, []string{"read-only file system", "erofs"},
		"it writes in its folder only, and there not .git, .monad, arbor.toml and vaults"},
	{false, []string{"permission denied", "operation not permitted", "eacces", "eperm"},
		`it reads and writes its folder, and reads the system's programs; "read": ["/FOLDER"] in its definition asks a person for more`},
	{false, []string{"fatal python error", "bad interpreter", "cannot be started"},
		`an interpreter may lie where it cannot be read; "read": ["/FOLDER"] in its definition asks a person for that`},
}

// Refused guesses from the output of a failed program which access was refused, and says what would help; "" for no
// guess.
func Refused(s Spec, r *Result) string {
	if r.Confined == "" || r.Code == 0 || r.TimedOut {
		return ""
	}
	const badCall = 128 + 31 // killed by SIGSYS
	said := strings.ToLower(r.Output)
	for _, row := range refusals {
		here := slices.ContainsFunc(row.words, func(w string) bool { return strings.Contains(said, w) })
		if (here || row.network && r.Code == badCall) && !(row.network && s.Network) {
			return row.hint
		}
	}
	return ""
}
