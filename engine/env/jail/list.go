package jail

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxListed = 1000 // entries of a listing
	maxFound  = 100  // lines that a search returns by default
	maxShown  = 300  // bytes of a line that was found
	maxLooked = 1 << 20
)

func decimal(n int) string { return strconv.Itoa(n) }

// An Entry is a file, folder or link.
type Entry struct {
	Path string `json:"path"` // a folder's ends with /
	Size int64  `json:"size,omitempty"`
	Link bool   `json:"link,omitempty"`
}

// A Listing is the contents of a folder.
type Listing struct {
	Entries []Entry `json:"entries"`
	Cut     string  `json:"more,omitempty"`
}

// List returns what is in a folder, in the order of names, and in those below it down to depth; 0 is 1. Links are not
// followed below it.
func (r *Root) List(ctx context.Context, p string, depth int) (*Listing, error) {
	if p == "" {
		p = "."
	}
	rel, err := clean(p)
	if err != nil {
		return nil, err
	}
	dir, real, _, err := r.folder(rel, "it is a file; {file_read} shows it")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	out, top := &Listing{Entries: []Entry{}}, level(real)
	deep := func(at string) bool { return level(at)-top < depth }
	err = r.walk(ctx, dir, real, deep, func(_ *os.Root, e Entry, _ fs.FileInfo) bool {
		if len(out.Entries) == maxListed {
			out.Cut = "there is more; name a folder further down"
			return false
		}
		out.Entries = append(out.Entries, e)
		return true
	})
	if err == errEnough {
		err = nil
	}
	return out, err
}

// level is how many folders a path is below the root.
func level(rel string) int {
	if rel == "." {
		return 0
	}
	return 1 + strings.Count(rel, "/")
}

// walk calls f for each entry of an open folder, and of the folders below that deep selects, until f returns false. It
// skips hidden entries, and the contents of folders that it cannot read.
func (r *Root) walk(ctx context.Context, dir *os.Root, rel string, deep func(string) bool, f func(*os.Root, Entry, fs.FileInfo) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	here, err := dir.Open(".")
	if err != nil {
		return failed(rel, err)
	}
	all, err := here.ReadDir(-1)
	here.Close()
	if err != nil {
		return failed(rel, err)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, d := range all {
		at := path.Join(rel, d.Name())
		info, err := d.Info()
		if err != nil || r.hidden(dir, at, info) != nil {
			continue // it was removed meanwhile, or is hidden
		}
		e := Entry{Path: at, Size: info.Size(), Link: d.Type()&fs.ModeSymlink != 0}
		if d.IsDir() {
			e.Path, e.Size = at+"/", 0
		}
		if !f(dir, e, info) {
			return errEnough
		}
		if !d.IsDir() || !deep(at) || deviceOf(info) != r.device {
			continue
		}
		if next, err := r.step(dir, d.Name(), at, false); err == nil {
			err = r.walk(ctx, next, at, deep, f)
			next.Close()
			if err == errEnough || ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// A Query describes a search.
type Query struct {
	Pattern string
	Path    string // a folder or file; "" is the root
	Regexp  bool   // the pattern is a regular expression of RE2
	Limit   int    // of lines; 0 is 100
}

// A Hit is a line that was found.
type Hit struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A Found is the result of a search.
type Found struct {
	Hits []Hit  `json:"hits"`
	Cut  string `json:"more,omitempty"`
}

// Search returns lines of text files, in the order of paths. Folders named .git, links, binary files, and those of more
// than 1 MiB are left out.
func (r *Root) Search(ctx context.Context, q Query) (*Found, error) {
	pattern := q.Pattern
	if !q.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	re, err := regexp.Compile(pattern)
	switch {
	case q.Pattern == "":
		return nil, refuse(InvalidParams, "the pattern is empty; give the text to look for")
	case err != nil:
		return nil, refuse(InvalidParams, "the pattern is no regular expression: %v; without regexp it is taken as it stands", err)
	}
	if q.Path == "" {
		q.Path = "."
	}
	rel, err := clean(q.Path)
	if err != nil {
		return nil, err
	}
	out, limit := &Found{Hits: []Hit{}}, max(1, q.Limit)
	if q.Limit == 0 {
		limit = maxFound
	}
	parent, real, info, err := r.find(rel)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	if !info.IsDir() {
		r.look(parent, real, info, re, limit, out)
		return out, nil
	}
	dir, real, _, err := r.folder(rel, "it is no folder any more")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	deep := func(at string) bool { return path.Base(at) != ".git" }
	err = r.walk(ctx, dir, real, deep, func(dir *os.Root, e Entry, info fs.FileInfo) bool {
		return e.Link || info.IsDir() || e.Size > maxLooked || r.look(dir, e.Path, info, re, limit, out)
	})
	if err == errEnough {
		err = ctx.Err()
	}
	return out, err
}

// look adds the lines of a file in a folder that match, and reports whether there is room for more.
func (r *Root) look(dir *os.Root, rel string, info fs.FileInfo, re *regexp.Regexp, limit int, out *Found) bool {
	f, _, err := r.openIn(dir, rel, info)
	if err != nil {
		return true // nothing can be found in it
	}
	data, err := all(f, rel, maxLooked)
	f.Close()
	if err != nil || binary(data) {
		return true
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		at := re.FindIndex(bytes.TrimRight(line, "\r\n"))
		if at == nil {
			continue
		}
		if len(out.Hits) == limit {
			out.Cut = "there are more; name a folder, or a longer pattern"
			return false
		}
		from := max(0, min(at[0]-maxShown/3, len(line)-maxShown))
		text := bytes.TrimRight(line[from:min(len(line), from+maxShown)], "\r\n")
		out.Hits = append(out.Hits, Hit{rel, n, strings.ToValidUTF8(string(text), "\uFFFD")})
	}
	return true
}
