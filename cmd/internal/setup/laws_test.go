package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"arbor/engine/errs"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// A form is one of the files that set-up edits.
type form struct {
	name     string
	settings []setting
	keys     []string // the path to its settings
}

// forms returns every form that there is.
func forms(t testing.TB) []form {
	var all []form
	for _, p := range places {
		if p.client == Agents || p.whole != nil {
			continue // see TestUndoGivesBackAFileWithASection and TestAFileOfItsOwn
		}
		opt := Options{Project: "/srv/a & b", Command: ServerName, Args: []string{"--profile", "worker"}}
		name := p.client + " " + p.scope
		if !p.toml { // see TestUndoGivesBackATOMLFile
			all = append(all, form{name, []setting{opt.serverSetting(p)}, []string{p.key}})
		}
		if p.hooks != nil {
			other := Options{Command: "/opt/my tools/arbor"}
			d, _ := dialectOf(p.client)
			all = append(all, form{name + " hooks", opt.hookSettings(p.client), []string{hooksKey, d.events[SessionStart], "["}},
				form{name + " hooks of a path", other.hookSettings(p.client), []string{hooksKey, d.events[SessionStart], "["}})
		}
	}
	return all
}

// edit puts the settings into the text of a file, or removes them. The text of no file is "".
func (f form) edit(text string, remove, force bool) (string, error) {
	settings := slices.Clone(f.settings)
	if remove {
		slices.Reverse(settings)
	}
	file := file{text: text, mode: 0o600, settings: settings}
	err := file.apply(remove, force)
	return file.want, err
}

// A failer is a test or a run of rapid.
type failer interface{ Fatalf(string, ...any) }

func plain(t failer, text string) map[string]any {
	text = strings.TrimPrefix(text, byteOrderMark)
	if strings.Trim(text, white) == "" {
		return map[string]any{}
	}
	std, err := hujson.Standardize([]byte(text + "\n"))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var m map[string]any
	if err := json.Unmarshal(std, &m); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

func fieldsOf(value any) (fields map[string]any) {
	data, _ := json.Marshal(value)
	_ = json.Unmarshal(data, &fields)
	return fields
}

// expect puts the settings into decoded JSON.
func expect(m map[string]any, settings []setting) map[string]any {
	for _, s := range settings {
		at, last := m, len(s.path)-1
		for _, k := range s.path[:last] {
			if at[k] == nil {
				at[k] = map[string]any{}
			}
			at = at[k].(map[string]any)
		}
		if key := s.path[last]; s.flat {
			l, _ := at[key].([]any)
			at[key] = append(l, fieldsOf(s.value))
		} else if s.isHook != nil {
			l, _ := at[key].([]any)
			at[key] = append(l, map[string]any{hooksKey: []any{fieldsOf(s.value)}})
		} else {
			at[key] = fieldsOf(s.value)
		}
	}
	return m
}

// pruned removes the objects and lists on the settings' paths that are empty.
func pruned(m map[string]any, settings []setting) map[string]any {
	for _, s := range settings {
		for n := len(s.path); n > 0; n-- {
			at := m
			for _, k := range s.path[:n-1] {
				at, _ = at[k].(map[string]any)
			}
			if v := reflect.ValueOf(at[s.path[n-1]]); (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0 {
				delete(at, s.path[n-1])
			}
		}
	}
	return m
}

// undone checks what is left after set-up made set of old and was undone: old, or a text of which set-up makes set as
// well and that differs from old by empty objects and lists on the settings' paths.
func (f form) undone(t failer, old, set, back string) {
	if back == old {
		return
	}
	again, err := f.edit(back, false, false)
	if err != nil || again != set || !reflect.DeepEqual(pruned(plain(t, back), f.settings), pruned(plain(t, old), f.settings)) {
		t.Fatalf("%s: undoing\n%q\n got %q\nwant %q\nset up again it is %q, %v", f.name, set, back, old, again, err)
	}
}

// TestUndoGivesBackTheFile, set-up twice is set-up once, and set-up adds the settings and nothing else.
func TestUndoGivesBackTheFile(t *testing.T) {
	all := forms(t)
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(all).Draw(t, "form")
		old := ""
		if rapid.IntRange(0, 9).Draw(t, "there") > 0 {
			old = drawConfig(t, f.keys...)
		}
		set, err := f.edit(old, false, false)
		if err != nil {
			t.Fatalf("%s: setting up in %q: %v", f.name, old, err)
		}
		if got, want := plain(t, set), expect(plain(t, old), f.settings); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %q set up\n got %v\nwant %v", f.name, old, got, want)
		}
		for _, force := range []bool{false, true} {
			if again, err := f.edit(set, false, force); err != nil || again != set {
				t.Fatalf("%s: %q set up twice (force %v)\n got %q, %v\nwant %q", f.name, old, force, again, err, set)
			}
		}
		back, err := f.edit(set, true, false)
		if err != nil {
			t.Fatalf("%s: undoing %q: %v", f.name, set, err)
		}
		f.undone(t, old, set, back)
		if again, err := f.edit(back, true, false); err != nil || again != back {
			t.Fatalf("%s: undone twice\n got %q, %v\nwant %q", f.name, again, err, back)
		}
	})
}

// TestUndoKeepsEverythingElse, comments too, wherever the entry is and however it is laid out.
func TestUndoKeepsEverythingElse(t *testing.T) {
	all := slices.DeleteFunc(forms(t), func(f form) bool { return f.settings[0].isHook != nil })
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(all).Draw(t, "form")
		value := encode(f.settings[0].value)
		value = rapid.SampledFrom([]string{value, strings.ReplaceAll(value, ",", ",\n\t")}).Draw(t, "entry")
		old := drawConfigWith(t, value, f.keys...)
		got, err := f.edit(old, true, false)
		if err != nil {
			t.Fatalf("undoing in %q: %v", old, err)
		}
		want := plain(t, old)
		delete(want[f.keys[0]].(map[string]any), ServerName)
		if is := plain(t, got); !reflect.DeepEqual(pruned(is, f.settings), pruned(want, f.settings)) {
			t.Fatalf("undoing in %q\n got %v\nwant %v\n  in %q", old, is, want, got)
		}
		root, err := hujson.Parse([]byte(strings.TrimPrefix(old, byteOrderMark) + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		servers := root.Find("/" + f.keys[0]).Value.(*hujson.Object).Members
		i := slices.IndexFunc(servers, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == ServerName })
		src := strings.TrimPrefix(old, byteOrderMark)
		rest := src[:servers[i].Name.StartOffset] + src[servers[i].Value.EndOffset:]
		for _, mark := range []string{"*/", "// "} {
			if strings.Count(got, mark) != strings.Count(rest, mark) {
				t.Fatalf("undoing in %q: a comment is lost or made in %q", old, got)
			}
		}
	})
}

// TestUndoKeepsWhatCameLater, behind the setting.
func TestUndoKeepsWhatCameLater(t *testing.T) {
	all := forms(t)
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(all).Draw(t, "form")
		old := drawConfig(t, f.keys...)
		set, err := f.edit(old, false, false)
		if err != nil {
			t.Fatal(err)
		}
		s := rapid.SampledFrom(f.settings).Draw(t, "setting")
		later := setting{path: slices.Clone(s.path), isHook: s.isHook, value: map[string]any{"command": "x"}}
		if s.isHook == nil {
			later.path[len(later.path)-1] = "later"
		}
		both, err := add(set, later, later.value)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.edit(both, true, false)
		if err != nil {
			t.Fatalf("undoing in %q: %v", both, err)
		}
		want := expect(plain(t, old), []setting{later})
		if is := plain(t, got); !reflect.DeepEqual(pruned(is, f.settings), pruned(want, f.settings)) {
			t.Fatalf("undoing in %q\n got %v\nwant %v\n  in %q", both, is, want, got)
		}
	})
}

// FuzzUndo has any bytes for a file: it is refused, or set up so that undo gives it back.
func FuzzUndo(f *testing.F) {
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
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range all {
			for _, force := range []bool{false, true} {
				set, err := form.edit(text, false, force)
				if err != nil {
					if errs.As(err).Code != errs.InvalidContent {
						t.Errorf("%s: setting up in %q: %v", form.name, text, err)
					}
					continue
				}
				if again, err := form.edit(set, false, false); err != nil || again != set {
					t.Errorf("%s: %q set up twice\n got %q, %v\nwant %q", form.name, text, again, err, set)
				}
				back, err := form.edit(set, true, false)
				if err != nil {
					t.Errorf("%s: undoing %q: %v", form.name, set, err)
				}
				if without, err := form.edit(text, true, true); err == nil && without == text {
					form.undone(t, text, set, back)
				}
			}
		}
	})
}
