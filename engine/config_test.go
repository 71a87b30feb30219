package engine_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

func settled() map[mdstore.Path][]byte {
	return map[mdstore.Path][]byte{
		"config.toml":           []byte("provider = \"vault\"\n"),
		"ws/Workspace.md":       []byte("---\nid: ws\nname: W\ngoal: g\nstatus: active\n---\n"),
		"ws/nodes/root/Node.md": enginetest.Node("root", "title: R\ntype: planning\nstatus: pending\nparentId: null", ""),
		"ws/config.toml":        []byte("# mine\nprovider = \"workspace\" # why\n"),
	}
}

// The files of the vault and of a workspace lie between the layers that the options give.
func TestTheVaultsSettingsLieBetweenThoseOfTheOptions(t *testing.T) {
	st, env := memstore.New(settled()), ""
	e, err := engine.Open(t.Context(), st, engine.Options{Config: func() []config.Layer {
		return []config.Layer{{Level: config.User, File: "/u", Data: []byte("provider = \"user\"\n")},
			config.Given(config.Environment, "provider", "P", env)}
	}})
	if err != nil {
		t.Fatal(err)
	}
	provider := func(ws mdstore.ID) string {
		s, err := e.Config(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		return config.Value[string](s, "provider")
	}
	if v, w := provider(""), provider("ws"); v != "vault" || w != "workspace" {
		t.Errorf("of the vault %s, of the workspace %s", v, w)
	}
	st.Put("ws/config.toml", []byte("=\n"))
	if w := provider("ws"); w != "vault" {
		t.Errorf("with a broken file %s", w)
	}
	st.Put("config.toml", nil)
	if v := provider(""); v != "user" {
		t.Errorf("without one %s", v)
	}
	if env = "environment"; provider("ws") != env {
		t.Errorf("with a variable %s", provider("ws"))
	}
	if _, err := e.Config(t.Context(), "ws-none"); errs.As(err).Code != errs.WorkspaceNotFound {
		t.Errorf("of no workspace: %v", err)
	}
}

// A change of settings is a commit of one file; a dry run, a refused one, and one that changes nothing write nothing.
func TestSettingsAreChangedByACommit(t *testing.T) {
	set := func(key, text string) func(string, []byte) ([]byte, error) {
		return func(file string, src []byte) ([]byte, error) {
			return config.Put(config.Workspace, file, src, key, text)
		}
	}
	for _, tt := range []struct {
		name string
		ws   mdstore.ID
		act  plan.Act
		edit func(string, []byte) ([]byte, error)
		file mdstore.Path // that changes; "" for none
		want string
		fail bool
	}{
		{"a value", "ws", plan.Act{}, set("provider", "new"), "ws/config.toml", "# mine\nprovider = \"new\" # why\n", false},
		{"a key of the vault's", "", plan.Act{}, set("tool.key", "3"), "config.toml", "provider = \"vault\"\n\n[tool]\nkey = 3\n", false},
		{"a dry run", "ws", plan.Act{DryRun: true}, set("provider", "new"), "", "", false},
		{"the same", "ws", plan.Act{}, set("provider", "workspace"), "", "", false},
		{"what does not count there", "ws", plan.Act{}, set("toolsets", "all"), "", "", true},
		{"no workspace", "ws-none", plan.Act{}, set("provider", "new"), "", "", true},
		{"taken out", "ws", plan.Act{}, func(_ string, src []byte) ([]byte, error) { return config.Unset(src, "provider") }, "ws/config.toml", "# mine\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.New(t, settled())
			before := maps.Clone(w.Store.Files())
			out, err := w.Engine.EditConfig(t.Context(), tt.ws, tt.act, tt.edit)
			if (err != nil) != tt.fail {
				t.Fatal(err)
			}
			changed := enginetest.Diff(before, w.Store.Files())
			if tt.file == "" && len(changed) > 0 || tt.file != "" && (len(changed) != 1 || string(w.Store.Files()[tt.file]) != tt.want) {
				t.Errorf("changes %v: %q", changed, w.Store.Files()[tt.file])
			}
			if tt.act.DryRun && !strings.Contains(out.Diff(), `+provider = "new" # why`) {
				t.Errorf("the dry run says %s", out.Diff())
			}
		})
	}
}

// A person who saves the file while it is edited loses nothing: the change is refused.
func TestASaveWhileSettingsAreEditedIsAConflict(t *testing.T) {
	if enginetest.Chosen == "postgres" {
		t.Skip("on a server, all who write wait for their turn")
	}
	w := enginetest.New(t, settled())
	const saved = "provider = \"of a person\"\n"
	_, err := w.Engine.EditConfig(t.Context(), "", plan.Act{}, func(file string, src []byte) ([]byte, error) {
		w.Store.Put("config.toml", []byte(saved))
		return config.Put(config.Vault, file, src, "provider", "new")
	})
	var conflict *mdstore.ConflictError
	if !errors.As(err, &conflict) || string(w.Store.Files()["config.toml"]) != saved {
		t.Errorf("%v, and the file is %s", err, w.Store.Files()["config.toml"])
	}
}
