package mdoc

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the after files of testdata/mdoc")

// TestFixtures runs every case of testdata/mdoc. A case is a txtar archive: comments, and
// commands behind a >, then the files before and after. The commands are
//
//	bytes FORM...            both files are encoded: crlf, bom, chop (no final line end), escapes (\r, \u2028 and so on)
//	set KEY VALUE            SetField with a text; VALUE may be quoted as in Go
//	int|bool|float|null KEY VALUE
//	section NAME TEXT        SetSection; TEXT may be quoted, or <file for one in the archive
//	append NAME TEXT         AppendItem
//	replace NAME I TEXT      ReplaceItem
//	remove NAME I            RemoveItem
//	refuse LINE WORDS        an *EditError at that line that contains these words
//	closed CODE LINE         the first diagnostic
//	field KEY KIND VALUE     a field of the document before
//	text NAME TEXT
//	items NAME I LISTED TEXT
//	headings N
//	adapted WORDS            Patch.Adapted, in the order of the patches
func TestFixtures(t *testing.T) {
	const dir = "../../testdata/mdoc"
	var count int
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".txtar") {
			count++
			name, _ := filepath.Rel(dir, strings.TrimSuffix(path, ".txtar"))
			t.Run(name, func(t *testing.T) { runFixture(t, path) })
		}
		return err
	})
	if err != nil || count == 0 {
		t.Fatalf("found %d cases in %s: %v", count, dir, err)
	}
}

type fixture struct {
	*testing.T
	files   map[string]string
	forms   []string
	doc     *Doc
	closed  []Diagnostic
	patches []Patch
	adapted []string
	refused error
	changes bool
}

func runFixture(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, files: map[string]string{}}
	for _, file := range a.Files {
		f.files[file.Name] = string(file.Data)
	}
	var commands []string
	for line := range strings.Lines(string(a.Comment)) {
		if c, ok := strings.CutPrefix(line, "> "); ok {
			commands = append(commands, strings.TrimSpace(c))
		}
	}
	if len(commands) > 0 && strings.HasPrefix(commands[0], "bytes ") {
		f.forms = strings.Fields(commands[0])[1:]
		commands = commands[1:]
	}
	if len(commands) == 0 || f.files["before"] == "" {
		t.Fatal("the case has no commands or no file before")
	}
	src := f.encode(f.files["before"])
	f.doc, f.closed = Parse("Node.md", []byte(src), nodeForm)
	for _, c := range commands {
		f.run(c)
	}
	if !f.changes {
		return
	}
	after, err := f.doc, f.refused
	if err == nil {
		after, err = f.doc.Apply(f.patches...)
		f.refused = err
	}
	if string(f.doc.Bytes()) != src {
		t.Errorf("the edit changed its document")
	}
	for _, c := range commands {
		if rest, ok := strings.CutPrefix(c, "refuse "); ok {
			f.checkRefused(rest)
			return
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	got := string(after.Bytes())
	if want := f.encode(f.files["after"]); got != want {
		if *update {
			f.rewrite(a, path, got)
			return
		}
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func (f *fixture) run(command string) {
	f.Helper()
	verb, rest, _ := strings.Cut(command, " ")
	name, rest, _ := strings.Cut(rest, " ")
	d := f.doc
	switch verb {
	case "set":
		f.patch(d.SetField(unquoteWord(name), Text(f.text(rest))))
	case "null":
		f.patch(d.SetField(name, NullValue()))
	case "int":
		n, _ := strconv.ParseInt(rest, 10, 64)
		f.patch(d.SetField(name, Integer(n)))
	case "float":
		n, _ := strconv.ParseFloat(rest, 64)
		f.patch(d.SetField(name, Number(n)))
	case "bool":
		f.patch(d.SetField(name, Boolean(rest == "true")))
	case "section":
		f.patch(d.SetSection(unquoteWord(name), f.text(rest)))
	case "append":
		f.patch(d.AppendItem(unquoteWord(name), f.text(rest)))
	case "replace":
		i, text, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(i)
		f.patch(d.ReplaceItem(name, n, f.text(text)))
	case "remove":
		n, _ := strconv.Atoi(rest)
		f.patch(d.RemoveItem(name, n))
	case "refuse": // looked at in the end
	case "closed":
		if len(f.closed) == 0 || f.closed[0].Code != name || strconv.Itoa(f.closed[0].Line) != rest || d.Editable() == nil {
			f.Errorf("%s: diagnostics are %v", command, f.closed)
		}
	case "open":
		if len(f.closed) > 0 || d.Editable() != nil {
			f.Errorf("diagnostics are %v", f.closed)
		}
	case "field":
		kind, value, _ := strings.Cut(rest, " ")
		got, ok := d.Field(unquoteWord(name))
		if kind == "missing" && !ok {
			return
		}
		if want := f.text(value); !ok || kindNames[got.Kind] != kind || got.Value != want {
			f.Errorf("%s: got %v %s %q", command, ok, kindNames[got.Kind], got.Value)
		}
	case "text":
		if got, want := d.Text(name), f.text(rest); got != want {
			f.Errorf("text of %s\n got %q\nwant %q", name, got, want)
		}
	case "headings":
		if got := fmt.Sprint(len(d.Headings())); got != name {
			f.Errorf("%s headings, want %s: %v", got, name, d.Headings())
		}
	case "items":
		if got := fmt.Sprint(len(d.Items(name))); got != rest {
			f.Errorf("%s items in %s, want %s: %v", got, name, rest, d.Items(name))
		}
	case "item":
		i, text, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(i)
		listed, text, _ := strings.Cut(text, " ")
		items := d.Items(name)
		if n >= len(items) || items[n].Text != f.text(text) || items[n].Listed != (listed == "listed") {
			f.Errorf("%s: got %+v", command, items)
		}
	case "adapted":
		if len(f.adapted) == 0 || f.adapted[0] != strings.TrimSpace(name+" "+rest) {
			f.Errorf("%s: got %q", command, f.adapted)
		} else {
			f.adapted = f.adapted[1:]
		}
	default:
		f.Fatalf("unknown command %q", command)
	}
}

var kindNames = [...]string{"null", "bool", "int", "float", "string", "nested"}

func (f *fixture) patch(p Patch, err error) {
	f.changes = true
	f.refused = errors.Join(f.refused, err)
	f.patches = append(f.patches, p)
	f.adapted = append(f.adapted, p.Adapted...)
}

func (f *fixture) checkRefused(rest string) {
	f.Helper()
	var e *EditError
	var u *UnreadableError
	line, words, _ := strings.Cut(rest, " ")
	switch {
	case errors.As(f.refused, &u):
		f.Errorf("closed: %v", u)
	case !errors.As(f.refused, &e):
		f.Errorf("got %v, want an *EditError", f.refused)
	case fmt.Sprint(e.Line) != line || !strings.Contains(e.Text, words):
		f.Errorf("got %v (line %d), want line %s and %q", e, e.Line, line, words)
	}
}

// text returns a text of a command: quoted, plain, or of a file.
func (f *fixture) text(s string) string {
	if file, ok := strings.CutPrefix(s, "<"); ok {
		text, found := f.files[file]
		if !found {
			f.Fatalf("the case has no file %s", file)
		}
		return strings.TrimSuffix(text, "\n")
	}
	if strings.HasPrefix(s, `"`) {
		u, err := strconv.Unquote(s)
		if err != nil {
			f.Fatalf("%s: %v", s, err)
		}
		return u
	}
	return s
}

// unquoteWord returns a name with blanks, which is written with underscores.
func unquoteWord(s string) string { return strings.ReplaceAll(s, "_", " ") }

var escapes = strings.NewReplacer(`\r`, "\r", `\u00a0`, "\u00a0", `\u2028`, "\u2028", `\u0085`, "\u0085", `\t`, "\t", `\0`, "\x00", `\xff`, "\xff")
var unescapes = strings.NewReplacer("\r", `\r`, "\u00a0", `\u00a0`, "\u2028", `\u2028`, "\u0085", `\u0085`, "\t", `\t`)

func (f *fixture) encode(s string) string {
	for _, form := range f.forms {
		switch form {
		case "crlf":
			s = strings.ReplaceAll(s, "\n", "\r\n")
		case "bom":
			s = "\ufeff" + s
		case "chop":
			s = strings.TrimRight(s, "\r\n")
		case "escapes":
			s = escapes.Replace(s)
		default:
			f.Fatalf("unknown form %s", form)
		}
	}
	return s
}

func (f *fixture) rewrite(a *txtar.Archive, path, got string) {
	for _, form := range f.forms {
		switch form {
		case "crlf":
			got = strings.ReplaceAll(got, "\r\n", "\n")
		case "bom":
			got = strings.TrimPrefix(got, "\ufeff")
		case "escapes":
			got = unescapes.Replace(got)
		}
	}
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	for i := range a.Files {
		if a.Files[i].Name == "after" {
			a.Files[i].Data = []byte(got)
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				f.Fatal(err)
			}
			f.Logf("rewrote %s", path)
		}
	}
}
