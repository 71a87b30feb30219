package setup

import (
	"os"
	"path/filepath"
	"testing"

	"arbor/engine/errs"
)

func TestAFileOfItsOwn(t *testing.T) {
	for _, client := range []string{"neovim", "obsidian"} {
		home, project := t.TempDir(), t.TempDir()
		opt := Options{Client: client, Project: project, Home: home, Getenv: func(string) string { return "" }, GOOS: "linux"}
		path := filepath.Join(home, ".config/nvim/after/plugin/arbor.lua")
		if client == "obsidian" {
			path = filepath.Join(project, "Plan.base")
		}
		run := func(remove, force bool, changed bool) *errs.Error {
			t.Helper()
			opt.Remove, opt.Force = remove, force
			r, err := Run(opt)
			if err != nil {
				return errs.As(err)
			}
			if r.Changed != changed || r.Files[0].Path != path {
				t.Errorf("%s, remove %v: %+v", client, remove, r)
			}
			return nil
		}
		run(true, false, false)
		run(false, false, true)
		run(false, false, false)
		made, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		edited := append(made, "-- mine\n"...)
		if err := os.WriteFile(path, edited, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, remove := range []bool{true, false} {
			if e := run(remove, false, false); e == nil || e.Code != errs.InvalidContent {
				t.Errorf("%s, remove %v of an edited file: %v", client, remove, e)
			}
		}
		if now, _ := os.ReadFile(path); string(now) != string(edited) {
			t.Errorf("%s: the edited file is\n%s", client, now)
		}
		run(false, true, true)
		run(true, false, true)
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
		if err := os.WriteFile(path, []byte("mine\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if e := run(false, false, false); e == nil || e.Code != errs.InvalidContent {
			t.Errorf("%s over a file of a person: %v", client, e)
		}
		run(true, false, false)
	}
}
