package ops_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Every case of testdata/check that files of the vault make has the same findings and the same repair in every store.
func TestCheckCasesInEveryStore(t *testing.T) {
	files, _ := filepath.Glob(checkCases)
	for _, file := range files {
		c := readCase(t, file)
		stray := func(found string) bool { return strings.Contains(found, " STRAY_FILE ") }
		if len(c.folders) > 0 || slices.ContainsFunc(c.want, stray) {
			continue // only in folders are there empty folders, and files beside those of the vault
		}
		for _, s := range enginetest.Stores {
			if s.Name == "folder" {
				continue // TestCheckCases
			}
			t.Run(s.Name+"/"+c.name, func(t *testing.T) { sameInStore(t, c, s.New) })
		}
	}
}

func sameInStore(t *testing.T, c checkCase, open func(testing.TB, map[mdstore.Path][]byte) (enginetest.Vault, engine.Options)) {
	given := map[mdstore.Path][]byte{}
	for name, text := range c.text {
		given[mdstore.Path(name)] = []byte(text)
	}
	v, opt := open(t, given)
	ids := 0
	opt.Now, opt.After = func() time.Time { return enginetest.Start }, enginetest.NoPause
	opt.NewID = func(p string) (mdstore.ID, error) { ids++; return mdstore.ID(fmt.Sprintf("%s-new-%06d", p, ids)), nil }
	e, err := engine.Open(tctx, v, opt)
	if err != nil {
		t.Fatal(err)
	}
	env := &ops.Env{Engine: e, Operator: mdstore.OperatorHuman}
	found, err := ops.WorkspaceCheck(tctx, env, ops.WorkspaceCheckIn{})
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(found.Diagnostics); !slices.Equal(got, c.want) {
		t.Errorf("check finds\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
	}
	before := filesIn(v)
	ids = 0
	if _, err := ops.WorkspaceCheck(tctx, env, ops.WorkspaceCheckIn{Fix: true}); err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(c.after)
	maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	if changed := changedFiles(before, filesIn(v)); !maps.Equal(changed, want) {
		t.Errorf("--fix leaves\n%s\nwant\n%s", show(changed), show(want))
	}
}

// filesIn returns the files of a vault and its trash.
func filesIn(v enginetest.Vault) map[string]string {
	out := map[string]string{}
	for p, data := range v.Files() {
		if !strings.HasPrefix(string(p), mdstore.LocalDir+"/") || p.Under(mdstore.TrashDir) {
			out[string(p)] = string(data)
		}
	}
	return out
}
