package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"arbor/engine"
)

// A form is one of the files that set-up edits.
type form struct {
	name  string
	items []item
	keys  []string // the path to its items
}

// forms returns every form that there is.
func forms(t testing.TB) []form {
	var all []form
	for _, c := range clients {
		for _, p := range c.places {
			s := Setup{Client: c.name, Scope: p.scope, Project: "/srv/a project", Command: ServerName, Args: []string{"--profile", "worker"}}
			entry, err := s.server(c, p)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, form{c.name + " " + p.scope, []item{entry}, append(entry.path, ServerName)[:1]})
			if p.hooks != nil {
				hooks := s.hookItems()
				all = append(all, form{c.name + " " + p.scope + " hooks", hooks, []string{hooksKey, "SessionStart", "["}})
				other := Setup{Command: "/opt/my tools/arbor"}
				all = append(all, form{c.name + " " + p.scope + " hooks without a shell", other.hookItems(), []string{hooksKey, "UserPromptSubmit", "["}})
			}
		}
	}
	return all
}

func plain(t *rapid.T, content string) map[string]any {
	content = strings.TrimPrefix(content, byteOrderMark)
	if strings.Trim(content, white) == "" {
		return map[string]any{}
	}
	std, err := hujson.Standardize([]byte(content + "\n"))
	if err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	var m map[string]any
	if err := json.Unmarshal(std, &m); err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	return m
}

// expect puts the items into decoded JSON.
func expect(t *rapid.T, m map[string]any, items []item) map[string]any {
	for _, it := range items {
		at := m
		path := it.path
		if it.key == "" {
			path = path[:len(path)-1]
		}
		for _, k := range path {
			if at[k] == nil {
				at[k] = map[string]any{}
			}
			at = at[k].(map[string]any)
		}
		var v any
		if err := json.Unmarshal([]byte(compact(it.element(it.fields))), &v); err != nil {
			t.Fatal(err)
		}
		if it.key != "" {
			at[it.key] = v
			continue
		}
		k := it.path[len(it.path)-1]
		l, _ := at[k].([]any)
		at[k] = append(l, v)
	}
	return m
}

func TestSetUpAndUndoneIsAsItWas(t *testing.T) {
	all := forms(t)
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(all).Draw(t, "form")
		there := rapid.IntRange(0, 9).Draw(t, "there") > 0
		old := ""
		if there {
			old = drawConfig(t, f.keys...)
		}
		set, err := put("f", old, there, f.items, false)
		if err != nil {
			t.Fatalf("%s: setting up in %q: %v", f.name, old, err)
		}
		if got, want := plain(t, set), expect(t, plain(t, old), f.items); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %q set up\n got %v\nwant %v", f.name, old, got, want)
		}
		if again, err := put("f", set, true, f.items, false); err != nil || again != set {
			t.Fatalf("%s: %q set up twice\n got %q, %v\nwant %q", f.name, old, again, err, set)
		}
		if forced, err := put("f", set, true, f.items, true); err != nil || forced != set {
			t.Fatalf("%s: %q set up twice, by force\n got %q, %v\nwant %q", f.name, old, forced, err, set)
		}
		back, keep, err := take("f", set, true, f.items, false)
		if err != nil || back != old || keep != there {
			t.Fatalf("%s: undoing\n%q\n got %q (there: %v), %v\nwant %q (there: %v)", f.name, set, back, keep, err, old, there)
		}
		if again, _, err := take("f", back, there, f.items, false); err != nil || again != back {
			t.Fatalf("%s: undone twice\n got %q, %v\nwant %q", f.name, again, err, back)
		}
	})
}

// TestUndoneWhereverItStands takes out an entry that a person has put anywhere and laid out in any way: everything else stays, comments too.
func TestUndoneWhereverItStands(t *testing.T) {
	all := slices.DeleteFunc(forms(t), func(f form) bool { return f.items[0].key == "" })
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(all).Draw(t, "form")
		it := f.items[0]
		entry := rapid.SampledFrom([]string{compact(it.fields), compact(it.fields.turned(1)), strings.ReplaceAll(compact(it.fields), ",", ",\n\t")}).Draw(t, "entry")
		old := drawConfigWith(t, entry, f.keys...)
		got, keep, err := take("f", old, true, f.items, false)
		if err != nil {
			t.Fatalf("undoing in %q: %v", old, err)
		}
		if !keep {
			got = "{}"
		}
		want := plain(t, old)
		servers := want[it.path[0]].(map[string]any)
		delete(servers, ServerName)
		is := plain(t, got)
		if _, ok := is[it.path[0]]; !ok && len(servers) == 0 {
			delete(want, it.path[0])
		}
		if !reflect.DeepEqual(is, want) {
			t.Fatalf("undoing in %q\n got %v\nwant %v\n  in %q", old, is, want, got)
		}
		parsed, err := parse("f", old)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := parsed.member(parsed.root, it.path[0])
		m, _ = parsed.member(&m.Value, ServerName)
		rest := parsed.src[:m.Name.StartOffset] + parsed.src[m.Value.EndOffset:]
		for _, mark := range []string{"*/", "// "} {
			if keep && strings.Count(got, mark) != strings.Count(rest, mark) {
				t.Fatalf("undoing in %q: a comment is lost or made in %q", old, got)
			}
		}
	})
}

// TestUndoneAfterOthersCame takes out an entry behind which others have put something of theirs.
func TestUndoneAfterOthersCame(t *testing.T) {
	all := forms(t)
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(all).Draw(t, "form")
		old := drawConfig(t, f.keys...)
		set, err := put("f", old, true, f.items, false)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := parse("f", set)
		if err != nil {
			t.Fatal(err)
		}
		it := f.items[rapid.IntRange(0, len(f.items)-1).Draw(t, "item")]
		chain, err := doc.descend(it.path, it.key == "")
		if err != nil {
			t.Fatal(err)
		}
		later := map[bool]string{true: "", false: "later"}[it.key == ""]
		if doc, err = doc.add(chain[len(chain)-1], later, fields{{"command", quoted("x")}}); err != nil {
			t.Fatal(err)
		}
		got, keep, err := take("f", doc.content(), true, f.items, false)
		if err != nil || !keep {
			t.Fatalf("undoing in %q: %v", doc.content(), err)
		}
		want := expect(t, plain(t, old), []item{{path: it.path, key: later, fields: fields{{"command", quoted("x")}}}})
		if it.key == "" { // it is no group of hooks
			at := want[it.path[0]].(map[string]any)
			l := at[it.path[1]].([]any)
			l[len(l)-1] = map[string]any{"command": "x"}
		}
		if is := plain(t, got); !reflect.DeepEqual(is, want) {
			t.Fatalf("undoing in %q\n got %v\nwant %v\n  in %q", doc.content(), is, want, got)
		}
	})
}

// FuzzMerge has any bytes for a file: it is refused, or set up so that undoing gives it back.
func FuzzMerge(f *testing.F) {
	paths, err := filepath.Glob("testdata/setup/*/*.before")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("{\"mcpServers\": {\"arbor\": {}}}")
	f.Add("{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"arbor hook session-start\"}]}]}} // end")
	all := forms(f)
	f.Fuzz(func(t *testing.T, content string) {
		for _, form := range all {
			for _, force := range []bool{false, true} {
				set, err := put("f", content, true, form.items, force)
				if err != nil {
					if engine.AsError(err).Code != engine.InvalidContent {
						t.Errorf("%s: setting up in %q: %v", form.name, content, err)
					}
					continue
				}
				if again, err := put("f", set, true, form.items, false); err != nil || again != set {
					t.Errorf("%s: %q set up twice\n got %q, %v\nwant %q", form.name, content, again, err, set)
				}
				back, keep, err := take("f", set, true, form.items, false)
				if had, _, terr := take("f", content, true, form.items, true); err != nil || terr == nil && had == content && (back != content || !keep) {
					t.Errorf("%s: undoing %q\n got %q (%v), %v\nwant %q", form.name, set, back, keep, err, content)
				}
			}
		}
	})
}
