// Package exchange reads what other programs have into one shape, the items of plan.ImportItems. Each format is a row
// of Kinds and a file of its own, and makes values of that shape and nothing else.
//
// No text is lost: what has no place in a node is counted, and said.
package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A Source is a file, a folder, or a text from stdin.
type Source struct {
	Name  string                            // the last element of its path; "" for a text from stdin
	Place string                            // the folder that it is in, or is: relative to the project, or absolute
	Files []string                          // of a folder, by their paths below it, with slashes; nil for a file
	Read  func(path string) ([]byte, error) // reads a file of the folder, or with "" the file or text itself
}

// plain returns a source whose texts are UTF-8 without a byte order mark, and have line feeds at the ends of lines. A
// file may be UTF-16, as PowerShell writes it.
func (s Source) plain() Source {
	read := s.Read
	s.Read = func(path string) ([]byte, error) {
		data, err := read(path)
		order := binary.ByteOrder(binary.LittleEndian)
		switch {
		case bytes.HasPrefix(data, []byte("\xfe\xff")):
			order = binary.BigEndian
			fallthrough
		case bytes.HasPrefix(data, []byte("\xff\xfe")):
			units := make([]uint16, len(data)/2)
			for i := range units {
				units[i] = order.Uint16(data[2*i:])
			}
			data = []byte(string(utf16.Decode(units)))
		}
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
		return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), err
	}
	return s
}

// A Kind is an exchange format.
type Kind struct {
	Name string
	Form string            // what it reads, in at most 40 characters: help has one line for each
	is   func(Source) bool // whether a source looks like it
	read func(*reader) error
}

// Kinds returns the formats. Of those that a source looks like, the first counts.
func Kinds() []Kind {
	return []Kind{
		{"arbor", "the JSON of arbor export json", isArbor, readArbor},
		{"taskmaster", "the tasks.json of Task Master", isTaskmaster, readTaskmaster},
		{"backlog", "a folder of Backlog.md", isBacklog, readBacklog},
		{"taskmd", "a folder of taskmd", isTaskmd, readTaskmd},
		{"claudesidian", "a workspace in .workspaces", isClaudesidian, readClaudesidian},
		{"nexus", "the event logs of Nexus", isNexus, readNexus},
		{"beads", "the JSON lines of bd export", isBeads, readBeads},
		{"github", "issues of gh issue list --json", isGithub, readGithub},
		{"openspec", "the changes of OpenSpec", isOpenspec, readOpenspec},
		{"speckit", "the tasks.md of Spec Kit", isSpeckit, readSpeckit},
		{"todotxt", "a file of todo.txt, or a folder with it", isTodotxt, readTodotxt},
		{"obsidian-tasks", "task boxes of notes in Obsidian", isObsidianTasks, readObsidianTasks},
		{"folder", "a folder of notes in Markdown", isFolder, readFolder},
		{"markdown", "Markdown: headings, items, task boxes", isMarkdown, readMarkdown},
	}
}

// general are the kinds that nearly any folder or file looks like.
var general = []string{"obsidian-tasks", "folder", "markdown"}

// Names returns the names of the kinds.
func Names() (names []string) {
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Read reads a source as the kind of that name, or for "" as the one that it looks like. A broken item is left out, and
// named among what is left. The error says what would work.
func Read(s Source, kind string) (*Result, error) {
	raw := s.Read
	s = s.plain()
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == kind || kind == "" && k.is(s) })
	switch {
	case i < 0 && kind != "":
		return nil, refused("%q is no kind of source; one of %s is expected", kind, strings.Join(Names(), ", "))
	case i < 0:
		return nil, refused("%s looks like none of %s; {.from} says which of them it is",
			s.Name, strings.Join(Names(), ", "))
	}
	r := &reader{Source: s, raw: raw, out: &Result{Kind: all[i].Name}, keys: map[string]int{}, counts: map[string]int{}}
	if read := s.Read; s.Files != nil {
		r.Read = func(path string) ([]byte, error) {
			if path == "" {
				return nil, refused("%s is a folder that does not have %s", s.Name, all[i].Form)
			}
			return read(path)
		}
	}
	for _, k := range all[i+1:] {
		if kind == "" && s.Files != nil && !slices.Contains(general, k.Name) && k.is(s) {
			r.left(s.Name, "it has %s, too (kind %s), which is not read", k.Form, k.Name)
		}
	}
	if err := all[i].read(r); err != nil {
		return nil, err
	}
	r.placeKeys()
	for _, what := range r.order {
		r.out.Left = append(r.out.Left, fmt.Sprintf("%d %s", r.counts[what], what))
	}
	if len(r.out.Items)+len(r.out.Pages) == 0 && r.out.Briefing == nil {
		return nil, refused("%s has no task that can be imported as %s%s", r.named(), all[i].Name, because(r.out.Left))
	}
	return r.out, nil
}

func refused(format string, args ...any) error { return errs.New(errs.InvalidParams, format, args...) }

func because(left []string) string {
	if len(left) == 0 {
		return ""
	}
	return " (left out: " + strings.Join(left, "; ") + ")"
}

// A Result is what was read from a source.
type Result struct {
	Kind     string
	Files    map[mdstore.Path][]byte // further files of a workspace of Arbor, by their paths in it
	Scope    string                  // what the keys of this source begin with
	Part     bool                    // the source is a part of what that scope has
	Items    []plan.ImportItem
	Docs     []plan.ImportDoc
	Memories []plan.ImportMemory
	Pages    []plan.ImportPage
	Briefing *plan.Briefing
	Left     []string // what is left out, one line each
}

// A reader is one call of Read.
type reader struct {
	Source
	raw    func(path string) ([]byte, error) // the bytes of documents
	out    *Result
	keys   map[string]int // how many items have the key
	counts map[string]int
	order  []string // of counts
}

// named returns the name of the source for messages.
func (r *reader) named() string {
	if r.Name == "" {
		return "stdin"
	}
	return r.Name
}

// at returns the place of a line for messages.
func (r *reader) at(file string, line int) string {
	if file == "" {
		file = r.named()
	}
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// left says that something at a place is left out.
func (r *reader) left(at, format string, args ...any) {
	r.out.Left = append(r.out.Left, at+": "+strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// count counts what is left out.
func (r *reader) count(what string, n int) {
	if n > 0 && r.counts[what] == 0 {
		r.order = append(r.order, what)
	}
	r.counts[what] += n
}

// unique returns a key that no other item has: the key, or with a number behind it. A long key is shortened.
func (r *reader) unique(key string) string {
	const most = 300
	if len(key) > most {
		key = fmt.Sprintf("%s…%x", strings.ToValidUTF8(key[:most/2], ""), sha256.Sum256([]byte(key)))[:most/2+20]
	}
	key = strings.Join(strings.Fields(key), " ")
	if r.keys[key]++; r.keys[key] > 1 {
		return r.unique(fmt.Sprintf("%s (%d)", key, r.keys[key]))
	}
	return key
}

// key returns a key for an item with this id. If another item has the id too, it adds a message and makes the key
// unique.
func (r *reader) key(id, at string) string {
	key := r.unique(id)
	if r.keys[key] == 1 && r.keys[strings.Join(strings.Fields(id), " ")] > 1 {
		r.left(at, "%s is the id of another item, too; this one has the key %s", id, key)
	}
	return key
}

// add adds an item. A tag of several words becomes one word.
func (r *reader) add(it plan.ImportItem) {
	for i, tag := range it.Tags {
		apart := func(c rune) bool { return unicode.IsSpace(c) || c == ',' }
		words := strings.FieldsFunc(tag, apart)
		if it.Tags[i] = strings.Join(words, "-"); len(words) > 1 {
			r.count("tag(s) of several words, which hyphens join", 1)
		}
	}
	r.out.Items = append(r.out.Items, it)
}

// broken says that something cannot be read; the error names the place.
func (r *reader) broken(err error) {
	r.out.Left = append(r.out.Left, strings.Join(strings.Fields(err.Error()), " ")+"; it is left out")
}

// word returns a status word in the form of the tables: in lower case, with hyphens.
func word(s string) string {
	return strings.NewReplacer(" ", "-", "_", "-", "’", "'").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// table returns the rows of a table of status words, and those of another that it lacks.
func table(own, more map[string]statemachine.Status) map[string]statemachine.Status {
	all := maps.Clone(more)
	for w, s := range own {
		if _, known := more[word(w)]; !known {
			all[word(w)] = s
		}
	}
	return all
}

// status returns the status that a word of another program means. The words of a kind are a table; an unknown one is
// pending, and said, and so is one that says more than pending.
func (r *reader) status(words map[string]statemachine.Status, said, at string) statemachine.Status {
	w := word(said)
	s, ok := words[w]
	if !ok && w != "" {
		r.left(at, "its status %q is not known; it is pending", said)
	}
	if slices.Contains(waiting, w) && s == "" {
		r.count("status "+w+", which is pending now", 1)
	}
	return s
}

// waiting are status words that Arbor has no status for.
var waiting = []string{"blocked", "deferred", "on-hold", "pinned"}

// given returns a text as the value of a field, nil for "".
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// dropped is the status of what was given up: an item without others below it becomes failed.
const dropped = statemachine.Cancelled

// utf8Text returns a text without a byte order mark. It counts what is not UTF-8, which becomes U+FFFD.
func (r *reader) utf8Text(data []byte) string {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if utf8.ValidString(text) {
		return text
	}
	valid := strings.ToValidUTF8(text, "\uFFFD")
	r.count("place(s) that are not UTF-8, which become U+FFFD",
		strings.Count(valid, "\uFFFD")-strings.Count(text, "\uFFFD"))
	return valid
}

// joined joins texts that are not empty, with a blank line between them.
func joined(texts ...string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(texts, "\n\n")
}
