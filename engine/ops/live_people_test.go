package ops_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

// handMade is what a file says that a person wrote with nothing in it but the front matter.
func handMade(id, parent, title string, typ statemachine.Type, status statemachine.Status) ref {
	return ref{id: id, parent: parent, title: title, typ: typ, status: status, order: math.NaN()}
}

func (l *followed) nodeFile(dir string) string {
	return l.vault.at(mdstore.Path(l.model.dir).Join("nodes", dir, "Node.md"))
}

// A saver is a way in which people save a file.
type saver struct {
	name string
	save func(name string, text []byte) error
}

var saving = []saver{
	{"in place", func(name string, text []byte) error { return os.WriteFile(name, text, 0o644) }},
	{"by rename", func(name string, text []byte) error {
		tmp := filepath.Join(filepath.Dir(name), ".Node.md.tmp")
		if err := os.WriteFile(tmp, text, 0o644); err != nil {
			return err
		}
		return os.Rename(tmp, name)
	}},
	{"by backup", func(name string, text []byte) error { // Vim
		if err := os.Rename(name, name+"~"); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
		return os.Remove(name + "~")
	}},
	{"by removal", func(name string, text []byte) error { // git
		if err := os.Remove(name); err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o644)
	}},
	{"in halves", func(name string, text []byte) error {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, half := range [][]byte{text[:len(text)/2], text[len(text)/2:]} {
			if _, err := f.Write(half); err != nil {
				return err
			}
		}
		return nil
	}},
	{"emptied first", func(name string, text []byte) error {
		if err := os.Truncate(name, 0); err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o644)
	}},
}

// save reads a file, changes its text, and saves it as an editor does.
func (l *followed) save(name string, h saver, change func(text string) string) {
	old, err := os.ReadFile(name)
	l.must(err)
	l.must(h.save(name, []byte(change(string(old)))))
}

// field sets a line of the front matter.
func field(key, value string) func(string) string {
	line := regexp.MustCompile(`(?m)^` + key + `:.*$`)
	return func(text string) string {
		if line.MatchString(text) {
			return line.ReplaceAllLiteralString(text, key+": "+value)
		}
		return strings.Replace(text, "---\n", "---\n"+key+": "+value+"\n", 1)
	}
}

var noteSection = regexp.MustCompile(`(?s)\n## Note\n.*?(\n## |$)`)

// noted sets the text of the section Note.
func noted(text string) func(string) string {
	return func(old string) string {
		body := "\n## Note\n\n" + text + "\n"
		if noteSection.MatchString(old) {
			return noteSection.ReplaceAllString(old, body+"$1")
		}
		return strings.TrimRight(old, "\n") + "\n" + body
	}
}

// newFile makes the folder and the file of a node by hand.
func (l *followed) newFile(dir string, n ref) {
	text := fmt.Sprintf("---\nid: %s\ntitle: %s\ntype: %s\nstatus: %s\nparentId: %s\n", n.id, n.title, n.typ, n.status, n.parent)
	if n.created > 0 {
		text += fmt.Sprintf("createdAt: %d\n", n.created)
	}
	if n.parent == "null" {
		n.parent = ""
	}
	l.must(os.MkdirAll(filepath.Dir(l.nodeFile(dir)), 0o755))
	l.must(os.WriteFile(l.nodeFile(dir), []byte(text+"---\n"), 0o644))
	l.model.files[dir] = n
}
