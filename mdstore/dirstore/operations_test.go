package dirstore_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// as returns a context whose commits belong to an operation.
func as(t *testing.T, text string) context.Context {
	return mdstore.WithOperation(t.Context(), &mdstore.Operation{Name: "x", Text: text})
}

func operations(t *testing.T, s *dirstore.Store, most int) []mdstore.Operation {
	t.Helper()
	all, err := s.Operations(t.Context(), most)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// put commits new bytes for a file.
func put(t *testing.T, ctx context.Context, s *dirstore.Store, p mdstore.Path, data []byte) {
	t.Helper()
	was, err := s.Read(ctx, p)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, []mdstore.Change{{Path: p, Base: was.Version, New: data}}); err != nil {
		t.Fatal(err)
	}
}

func TestOperationsAreTheCommitsThatSayWhatTheyAreOfAndTheNewestIsFirst(t *testing.T) {
	s := open(t, fill(t, map[string]string{"ws/Workspace.md": "one\n"}))
	put(t, as(t, "first"), s, own, []byte("two\n"))
	put(t, t.Context(), s, own, []byte("three\n")) // belongs to no operation
	two := as(t, "of two commits")
	put(t, two, s, own, []byte(""))
	put(t, as(t, "between"), s, "ws/other", []byte("x"))
	put(t, two, s, "ws/next", []byte("y"))
	put(t, as(t, "of this machine"), s, mdstore.LocalDir+"/note", []byte("z"))

	all := operations(t, s, 100)
	var got []string
	for _, op := range all {
		got = append(got, op.Text)
	}
	if strings.Join(got, ", ") != "of two commits, between, first" {
		t.Fatalf("operations: %q", got) // ordered by their last commits
	}
	steps := all[0].Steps
	if len(steps) != 2 || string(steps[0].Base) != "three\n" || steps[0].New == nil || len(steps[0].New) != 0 ||
		steps[1].Path != "ws/next" || steps[1].Base != nil {
		t.Errorf("steps of two commits: %+v", steps)
	}
	if again := operations(t, s, 1); len(again) != 1 || again[0].ID != all[0].ID || all[0].ID == all[1].ID {
		t.Errorf("ids: %+v, %+v", again, all)
	}
}

func TestAnOperationThatIsTooLargeKeepsWhatAPersonWroteInTheTrash(t *testing.T) {
	const p = mdstore.Path("ws/memory/big.md")
	dir := fill(t, map[string]string{"ws/Workspace.md": "x\n"})
	large := bytes.Repeat([]byte("0123456789abcde\n"), 5<<16)
	write(t, filepath.Join(dir, string(p)), "of a person\n"+string(large))
	s := open(t, dir)
	put(t, as(t, "large"), s, p, large)
	op := operations(t, s, 1)[0]
	if !op.Large || op.Trash == "" || len(op.Steps) > 0 {
		t.Fatalf("the operation: large %v, trash %q, %d steps", op.Large, op.Trash, len(op.Steps))
	}
	kept, err := os.ReadFile(filepath.Join(dir, string(op.Trash.Join(string(p)))))
	if err != nil || !strings.HasPrefix(string(kept), "of a person\n") {
		t.Errorf("kept: %.20q, error %v", kept, err)
	}
	put(t, as(t, "again"), s, p, append([]byte("of Arbor\n"), large...))
	if op := operations(t, s, 1)[0]; !op.Large || op.Trash != "" {
		t.Errorf("a version of Arbor's own is kept in %q", op.Trash)
	}
}

func TestWhatFallsOutOfTheRecordIsKeptWhereArborDidNotWriteIt(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": "of a person\n"})
	s := open(t, dir)
	put(t, as(t, "first"), s, own, []byte("of Arbor\n"))
	put(t, as(t, "second"), s, own, []byte("of Arbor again\n"))
	fillings := [2][]byte{bytes.Repeat([]byte("0123456789abcde\n"), 1<<16-1), bytes.Repeat([]byte("fedcba987654321\n"), 1<<16-1)}
	for i := range 40 {
		put(t, as(t, "fill"), s, "ws/fill", fillings[i%2])
	}
	all := operations(t, s, 1000)
	if n := len(all); n > 30 || all[n-1].Text != "fill" {
		t.Errorf("%d operations are left, the oldest is %q", n, all[n-1].Text)
	}
	var kept []string
	found, err := filepath.Glob(filepath.Join(dir, mdstore.TrashDir, "*-record", string(own)))
	for _, p := range found {
		data, _ := os.ReadFile(p)
		kept = append(kept, string(data))
	}
	if err != nil || len(kept) != 1 || kept[0] != "of a person\n" {
		t.Errorf("kept: %q, error %v", kept, err)
	}
	var size int64
	parts, _ := filepath.Glob(filepath.Join(dir, mdstore.LocalDir, "record", "*"))
	for _, p := range parts {
		if info, err := os.Stat(p); err == nil {
			size += info.Size()
		}
	}
	if size > 64<<20 {
		t.Errorf("the record has %d bytes", size)
	}
}

// A killed process or a full disk may leave an incomplete line, or none.
func TestALostLineLosesItsOperationOnly(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": "one\n"})
	s := open(t, dir)
	for _, text := range []string{"first", "second", "third"} {
		put(t, as(t, text), s, own, []byte(text+"\n"))
	}
	now := filepath.Join(dir, mdstore.LocalDir, "record", "now")
	data, err := os.ReadFile(now)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines[1] = append(lines[1][:len(lines[1])/2], '\n')
	write(t, now, string(bytes.Join(lines, nil)))
	all := operations(t, s, 100)
	if len(all) != 2 || all[0].Text != "third" || all[1].Text != "first" {
		t.Errorf("operations: %+v", all)
	}
	if err := os.RemoveAll(filepath.Dir(now)); err != nil {
		t.Fatal(err)
	}
	if all := operations(t, s, 100); len(all) != 0 {
		t.Errorf("without a record: %+v", all)
	}
}
