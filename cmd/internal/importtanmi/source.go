package importtanmi

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// maxSource is how much one workspace may hold in bytes; the graph of 50,000 nodes has some 30 MB.
const maxSource = 256 << 20

// litter are files that operating systems leave behind. They are not attached.
var litter = []string{".DS_Store", "Thumbs.db", "desktop.ini"}

// attachedDir is the folder of a new workspace that holds the attached files, at the paths that they had.
const attachedDir = "imported"

// A source is the files of one workspace in memory. A file that is not completely used is attached.
type source struct {
	dir    string              // of the workspace
	data   map[string][]byte   // by path below dir
	names  []string            // the paths, sorted
	used   map[string]bool     // the files that were parsed
	why    map[string][]string // the parts of a file that were not understood
	target map[string]string   // the path of a file in the new workspace, should it be attached
	taken  map[string]bool     // the targets in lower case, because some file systems ignore case
}

// load reads all files of a workspace's folder. Links and other special files are warnings.
func (r *reader) load(dir string) (*source, error) {
	s := &source{
		dir: dir, data: map[string][]byte{}, used: map[string]bool{}, why: map[string][]string{},
		target: map[string]string{}, taken: map[string]bool{},
	}
	size := int64(0)
	err := fs.WalkDir(r.fsys, dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir():
			return err
		case e.Type()&fs.ModeSymlink != 0:
			r.warn(name, "is a symbolic link, which is not followed")
			return nil
		case !e.Type().IsRegular():
			r.warn(name, "is no regular file: not imported")
			return nil
		case slices.Contains(litter, e.Name()) || strings.HasPrefix(e.Name(), "._"):
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if size += info.Size(); size > maxSource {
			return fmt.Errorf("%s holds more than %d MB; move unrelated files elsewhere", dir, maxSource>>20)
		}
		data, err := fs.ReadFile(r.fsys, name)
		s.data[strings.TrimPrefix(name, dir+"/")] = data
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("nothing was imported: %w", err)
	}
	s.names = slices.Sorted(maps.Keys(s.data))
	for _, name := range s.names {
		s.target[name] = s.free(path.Join(attachedDir, safePath(name)))
	}
	return s, nil
}

// unsafeRune matches text that some file systems, Markdown links or git do not accept in the name of a file.
var unsafeRune = pattern.Of(`[\pC\\:*?"<>|#%\[\]` + "`" + `]|^\.|[. ]$`)

func safePath(name string) string {
	elems := strings.Split(strings.ToValidUTF8(name, "_"), "/")
	for i, elem := range elems {
		elems[i] = unsafeRune().ReplaceAllString(elem, "_")
	}
	return strings.Join(elems, "/")
}

// free returns the path, or a similar one if another file has it.
func (s *source) free(name string) string {
	p := name
	for n := 2; s.taken[strings.ToLower(p)]; n++ {
		p = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, path.Ext(name)), n, path.Ext(name))
	}
	s.taken[strings.ToLower(p)] = true
	return p
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// page returns a Markdown file as a page, and marks it as used. ok is false if it is missing or not text.
func (s *source) page(name string, keys, titles []string) (p page, ok bool) {
	text, ok := s.text(name)
	p = parsePage(text, keys, titles)
	if p.odd != "" {
		s.keep(name, "%s", p.odd)
	}
	return p, ok
}

// text returns the text of a Markdown file with LF line ends, and marks the file as used. ok is false if it is missing
// or not text.
func (s *source) text(name string) (text string, ok bool) {
	data, ok := s.data[name]
	if !ok {
		return "", false
	}
	s.used[name] = true
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		s.keep(name, "it is not UTF-8, or holds NUL")
		return "", false
	}
	return lineEnds.Replace(strings.TrimPrefix(string(data), bom)), true
}

// keep has a file attached, for the reason given.
func (s *source) keep(name, format string, args ...any) {
	const most = 5
	why := fmt.Sprintf("%.200s", fmt.Sprintf(format, args...))
	if len(s.why[name]) == most {
		why = "and more"
	}
	if len(s.why[name]) <= most && !slices.Contains(s.why[name], why) {
		s.why[name] = append(s.why[name], why)
	}
}

// parts returns the files of the new workspace that a file becomes when it is attached: itself or, if it is larger than
// a file of a vault may be, its parts in order.
func (s *source) parts(name string) map[string][]byte {
	data, target := s.data[name], s.target[name]
	if len(data) <= mdstore.MaxFileSize {
		return map[string][]byte{target: data}
	}
	all := map[string][]byte{}
	for part := range slices.Chunk(data, mdstore.MaxFileSize) {
		all[s.free(fmt.Sprintf("%s.part%03d", target, len(all)+1))] = part
	}
	return all
}
