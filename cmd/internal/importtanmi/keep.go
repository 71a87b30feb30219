package importtanmi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode"

	"arbor/mdstore"
)

// keptDir is where a new workspace holds what found no other place.
const keptDir = "imported"

// The limits of what is kept of files that the original does not know.
const (
	maxKeptFiles = 1000
	maxKeptBytes = 64 << 20
	maxKeptDepth = 8 // folders below one another
)

// A keeper collects the further files of a new workspace.
type keeper struct {
	files map[string][]byte
	taken map[string]int // the paths in lower case, for some file systems do not tell them apart, and how often each was asked for
	count int            // of files that the original does not know
	bytes int
	rep   *report
}

func newKeeper(rep *report) *keeper {
	return &keeper{files: map[string][]byte{}, taken: map[string]int{}, rep: rep}
}

// put adds a file under a path like the one asked for and returns the path. Text beyond the size that a file may have goes into several
// files; anything else of that size is not kept, and the path is "".
func (k *keeper) put(name string, data []byte) string {
	const part = mdstore.MaxFileSize
	if len(data) > part && !sound(data) {
		return ""
	}
	first := ""
	for n := 1; n == 1 || len(data) > 0; n++ {
		head := data
		if len(data) > part {
			head = data[:part]
			if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
				head = head[:i+1]
			} else {
				head = []byte(strings.ToValidUTF8(string(head), "")) // cuts no character in two
			}
		}
		data = data[len(head):]
		p := k.free(name)
		k.files[p] = append([]byte{}, head...)
		if first == "" {
			first = p
		}
	}
	return first
}

// free returns a valid path that is not in use.
func (k *keeper) free(name string) string {
	elems := strings.Split(name, "/")
	for i, e := range elems {
		elems[i] = fileName(e)
	}
	name = strings.Join(elems, "/")
	p, ext := name, path.Ext(name)
	for k.taken[strings.ToLower(p)] > 0 {
		k.taken[strings.ToLower(name)]++
		p = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), k.taken[strings.ToLower(name)], ext)
	}
	k.taken[strings.ToLower(p)] = 1
	return p
}

// fileName makes a name of any text that every platform can hold, and that no Markdown link trips over.
func fileName(s string) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case c == unicode.ReplacementChar, unicode.IsControl(c), unicode.Is(unicode.Cf, c), strings.ContainsRune("/\\:*?\"<>|[]#%`", c):
			return '_'
		case unicode.IsSpace(c):
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "_"))
	const most = 60 // characters: with three bytes each well below what a file system takes
	if r := []rune(s); len(r) > most {
		ext := []rune(path.Ext(s))
		if len(ext) > 10 {
			ext = nil
		}
		s = string(r[:most-len(ext)]) + string(ext)
	}
	s = strings.TrimRight(strings.TrimSpace(s), ". ")
	if strings.HasPrefix(s, ".") {
		s = "_" + s[1:]
	}
	stem, _, _ := strings.Cut(strings.ToLower(s), ".")
	switch stem {
	case "":
		return "_" + s
	case "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
		"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9":
		return "_" + s
	}
	return s
}

// rest keeps the files of a folder that nobody read, and of the folders below it. top is the path that names are relative to.
func (k *keeper) rest(dir *folder, rel string, depth int) {
	for _, name := range dir.names {
		if dir.used[name] || junk(name) {
			continue
		}
		at := dir.at(name)
		switch {
		case depth > maxKeptDepth || k.count >= maxKeptFiles || k.bytes >= maxKeptBytes:
			k.rep.warn(at, "is not taken over: there are more or larger files than an import takes that TanmiWorkspace does not know")
		case dir.isDir(name):
			if sub, ok := dir.sub(name); ok {
				k.rest(sub, path.Join(rel, name), depth+1)
			}
		default:
			data, ok := dir.read(name)
			if !ok {
				continue
			}
			k.count++
			k.bytes += len(data)
			if p := k.put(path.Join(keptDir, rel, name), data); p != "" {
				k.rep.warn(at, "has no place in Arbor: kept as %s", p)
			} else {
				k.rep.warn(at, "is no text, and larger than %d KiB: not taken over", mdstore.MaxFileSize>>10)
			}
		}
	}
}

// junk reports whether a file is what operating systems leave behind.
func junk(name string) bool {
	return name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini" || strings.HasPrefix(name, "._")
}

// fields keeps members of a JSON file that have no place of their own.
func (k *keeper) fields(from string, list []member, rep *report) {
	if len(list) == 0 {
		return
	}
	var keys []string
	for _, m := range list {
		if !m.said {
			keys = append(keys, m.key)
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, marshalMembers(list), "", "  ") != nil {
		return
	}
	b.WriteByte('\n')
	p := k.put(path.Join(keptDir, path.Base(from)), b.Bytes())
	if len(keys) == 0 {
		rep.warn(from, "what is not of the expected kind is kept in %s", p)
		return
	}
	rep.warn(from, "%s: no place for this in Arbor; kept in %s", names(keys), p)
}

// marshalMembers returns the JSON object with these members.
func marshalMembers(list []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(m.key))
		b.WriteByte(':')
		b.Write(m.raw)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func jsonText(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // never: every string can be encoded
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
