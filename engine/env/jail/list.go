package jail

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxListed = 1000 // entries of a listing
	maxFound  = 100  // lines of a search, unless it says otherwise
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

// A Listing is what is in a folder.
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
	if info, err := r.root.Stat(rel); err != nil {
		return nil, failed(rel, err)
	} else if !info.IsDir() {
		return nil, refuse(InvalidParams, "%q is a file; file_read shows it", rel)
	}
	out := &Listing{Entries: []Entry{}}
	err = r.walk(ctx, rel, max(1, depth), func(e Entry) bool {
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

// walk calls f for what is in a folder and below it, until f returns false. What cannot be read is left out below it.
func (r *Root) walk(ctx context.Context, rel string, depth int, f func(Entry) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := r.root.Open(rel)
	if err != nil {
		return failed(rel, err)
	}
	all, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return failed(rel, err)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, d := range all {
		at := path.Join(rel, d.Name())
		info, err := d.Info()
		if err != nil {
			continue // it went meanwhile
		}
		e := Entry{Path: at, Size: info.Size(), Link: d.Type()&fs.ModeSymlink != 0}
		if d.IsDir() {
			e.Path, e.Size = at+"/", 0
		}
		if !f(e) {
			return errEnough
		}
		if d.IsDir() && depth > 1 && deviceOf(info) == r.device {
			if err := r.walk(ctx, at, depth-1, f); err == errEnough || ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// A Query is what a search looks for.
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
	info, err := r.root.Stat(rel)
	if err != nil {
		return nil, failed(rel, err)
	}
	out, limit := &Found{Hits: []Hit{}}, max(1, q.Limit)
	if q.Limit == 0 {
		limit = maxFound
	}
	look := func(rel string) bool { return r.look(rel, re, limit, out) }
	if !info.IsDir() {
		look(rel)
		return out, nil
	}
	err = r.search(ctx, rel, look)
	if err == errEnough {
		err = ctx.Err()
	}
	return out, err
}

// search calls look for each file below a folder, until it returns false.
func (r *Root) search(ctx context.Context, rel string, look func(string) bool) error {
	return r.walk(ctx, rel, 1, func(e Entry) bool {
		at, folder := strings.CutSuffix(e.Path, "/")
		switch {
		case e.Link || folder && path.Base(at) == ".git":
			return true
		case !folder:
			return e.Size > maxLooked || look(e.Path)
		}
		return r.search(ctx, at, look) != errEnough && ctx.Err() == nil
	})
}

// look adds the lines of a file that match, and reports whether there is room for more.
func (r *Root) look(rel string, re *regexp.Regexp, limit int, out *Found) bool {
	data, _, err := r.read(rel, maxLooked)
	if err != nil || binary(data) {
		return true // nothing can be found in it
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
