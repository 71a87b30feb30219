package clients

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
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
