package web

import (
	"os"
	"path/filepath"
	"testing"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// A call of an assistant that needs a person's approval appears on the page. It is carried out after "Approve once",
// and is not after "Deny".
func TestApprovalsAreGivenAndDeniedInTheBrowser(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, _, _ := w.plan()
	folder := t.TempDir()
	env := w.do("env_register", map[string]any{"uri": "file://" + filepath.ToSlash(folder), "id": "src", "trust": "restricted"})["id"].(string)
	assistant := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorAI, Session: "s1", Where: ops.Where{Workspace: ws}}
	write := func(name string) error {
		in := ops.FileWriteIn{Path: name, Content: "written by an assistant\n"}
		in.Environment = env
		_, err := ops.FileWrite(t.Context(), assistant, in)
		return err
	}
	p := b.open(w, "/approvals")
	p.sees("No requests")
	for name, click := range map[string]string{"yes.txt": "button|Approve once", "no.txt": "button|Deny"} {
		if err := write(name); err == nil {
			t.Fatalf("%s was written unasked", name)
		}
		p.sees(name) // without a reload
		p.sees("+written by an assistant")
		p.until(`document.title.startsWith("(1) ")`)
		p.click(click)
		p.sees("No requests")
		err := write(name)
		_, missing := os.Stat(filepath.Join(folder, name))
		if name == "yes.txt" && (err != nil || missing != nil) {
			t.Errorf("approved, and then %v, %v", err, missing)
		}
		if name == "no.txt" && (err == nil || missing == nil) {
			t.Errorf("denied, and then %v, %v", err, missing)
		}
	}
}
