package feed_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/live"
	"arbor/mdstore"
)

// However an editor saves, the change is told once, and as what it is.
func TestFeedTellsEverySave(t *testing.T) {
	l := listen(t, small(t, 3), "")
	file := l.at(nodeFile(0))
	for i, save := range []struct {
		name string
		do   func(text string) error
	}{
		{"in place", func(text string) error { return os.WriteFile(file, []byte(text), 0o666) }},
		{"emptied first, then written in two steps", func(text string) error {
			f, err := os.Create(file)
			l.must(err)
			_, err = f.WriteString(text[:9])
			l.must(err)
			_, err = f.WriteString(text[9:])
			return errors.Join(err, f.Close())
		}},
		{"beside it, and renamed over it", func(text string) error {
			return errors.Join(os.WriteFile(file+".tmp", []byte(text), 0o666), os.Rename(file+".tmp", file))
		}},
		{"with the old one as a backup", func(text string) error {
			return errors.Join(os.Rename(file, file+"~"), os.WriteFile(file, []byte(text), 0o666), os.Remove(file+"~"))
		}},
		{"deleted and made anew", func(text string) error {
			return errors.Join(os.Remove(file), os.WriteFile(file, []byte(text), 0o666))
		}},
	} {
		t.Log(save.name)
		was, is := "pending", "implementing"
		if i%2 == 1 {
			was, is = is, was
		}
		l.must(save.do(node("node-0", is, "")))
		l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:" + was + ">" + is + "\n")
	}
	l.agrees()
}

// A file that is being written is not told of as gone or damaged if what is missing comes in a moment; and if it does
// not, what it says later is compared with what it said before.
func TestFeedWaitsForWhatIsBeingWritten(t *testing.T) {
	t.Parallel()
	dir := small(t, 2)
	l := newListener(t, dir, "")
	looks, heard := make(chan chan time.Time, 99), make(chan live.News, 99)
	l.after = func(time.Duration) <-chan time.Time { c := make(chan time.Time); looks <- c; return c }
	l.serve(func(n live.News) { heard <- n; l.feed.Hear(n) }) // once the feed waits, what it was told of is in heard
	again := func() {
		t.Helper()
		select {
		case c := <-looks:
			close(c)
		case r := <-l.reports:
			l.take(r)
			t.Fatalf("told at once:\n%s", l.told())
		case <-time.After(patience):
			t.Fatal("it neither tells nor waits")
		}
	}
	// saved makes a change while the feed waits, and lets it look when the change is known.
	saved := func(name string, save func()) {
		t.Helper()
		var c chan time.Time
		select {
		case c = <-looks:
		case <-time.After(patience):
			t.Fatal("it does not wait")
		}
		for len(heard) > 0 {
			<-heard
		}
		save()
		for n := range heard {
			if slices.Contains(n.Paths, mdstore.Path(name)) {
				break
			}
		}
		close(c)
	}

	// Each step is one that nobody finds half done, however slow the machine is.
	l.swap(nodeFile(0), "")
	saved(nodeFile(0), func() { l.swap(nodeFile(0), node("node-0", "implementing", "")) })
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:pending>implementing\n")

	l.swap(nodeFile(0), "---\nid: no")
	again()
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " blank !FRONT_MATTER_MISSING\n")
	l.swap(nodeFile(0), node("node-0", "validating", ""))
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:implementing>validating ok:FRONT_MATTER_MISSING\n")

	folder, away := filepath.Dir(l.at(nodeFile(1))), filepath.Join(t.TempDir(), "away")
	l.must(os.Rename(folder, away))
	saved(nodeFile(1), func() { l.must(os.Rename(away, folder)) })
	l.swap(nodeFile(0), node("node-0", "completed", "\n## Conclusion\n\nx\n"))
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:validating>completed ##Conclusion:created[][]\n")
	l.must(os.Rename(folder, away))
	again()
	l.only("removed node-1 \"T node-1\" " + nodeFile(1) + "\n")
	l.agrees()
}

// Folders, removals, copies, other ids, workspaces: each is told as what it is.
func TestFeedTellsWhatBecomesOfFiles(t *testing.T) {
	t.Parallel()
	l := listen(t, small(t, 3), "")
	step := func(name string, do func(), want ...string) {
		t.Helper()
		t.Log(name)
		do()
		l.only(want...)
		l.agrees()
	}
	step("a folder with its file", func() { l.put("ws-a/nodes/new/Node.md", node("node-mjv3xk00-00000n", "pending", "")) },
		`created node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/new/Node.md id:null>node-mjv3xk00-00000n title:null>T node-mjv3xk00-00000n type:null>execution status:null>pending parentId:null>root`+"\n")
	step("a folder that is renamed", func() { l.must(os.Rename(l.at("ws-a/nodes/new"), l.at("ws-a/nodes/neu"))) },
		`moved node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/neu/Node.md from ws-a/nodes/new/Node.md`+"\n")
	step("two that change places", func() {
		l.must(os.Rename(l.at("ws-a/nodes/node-0"), l.at("ws-a/nodes/.x")))
		l.must(os.Rename(l.at("ws-a/nodes/node-1"), l.at("ws-a/nodes/node-0")))
		l.must(os.Rename(l.at("ws-a/nodes/.x"), l.at("ws-a/nodes/node-1")))
	}, `moved node-1 "T node-1" ws-a/nodes/node-0/Node.md from ws-a/nodes/node-1/Node.md`+"\n", `moved node-0 "T node-0" ws-a/nodes/node-1/Node.md from ws-a/nodes/node-0/Node.md`+"\n")
	step("a folder in place of a file", func() {
		l.must(os.Remove(l.at(nodeFile(2))))
		l.must(os.Mkdir(l.at(nodeFile(2)), 0o777))
	}, `changed node-2 "T node-2" ws-a/nodes/node-2/Node.md blank !NOT_A_FILE`+"\n")
	step("and a file again", func() {
		l.must(os.Remove(l.at(nodeFile(2))))
		l.put(nodeFile(2), node("node-2", "implementing", ""))
	}, `changed node-2 "T node-2" ws-a/nodes/node-2/Node.md status:pending>implementing ok:NOT_A_FILE`+"\n")
	step("a copy", func() { l.must(os.CopyFS(l.at("ws-a/nodes/copy"), os.DirFS(l.at("ws-a/nodes/neu")))) },
		`created node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/copy/Node.md id:null>node-mjv3xk00-00000n title:null>T node-mjv3xk00-00000n type:null>execution status:null>pending parentId:null>root !DUPLICATE_ID !DUPLICATE_ID`+"\n")
	step("another id for it", func() { l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "")) },
		`changed node-c "T node-c" ws-a/nodes/copy/Node.md id:node-mjv3xk00-00000n>node-c title:T node-mjv3xk00-00000n>T node-c ok:DUPLICATE_ID ok:DUPLICATE_ID`+"\n")
	step("a status that the table forbids", func() { l.swap("ws-a/nodes/copy/Node.md", node("node-c", "done", "")) },
		`changed node-c "T node-c" ws-a/nodes/copy/Node.md status:pending>done !STATUS_INVALID`+"\n")
	step("a line above it", func() { l.swap("ws-a/nodes/copy/Node.md", "---\n# c\n"+node("node-c", "done", "")[4:]) },
		`changed node-c "T node-c" ws-a/nodes/copy/Node.md`+"\n")
	step("a log and lists", func() {
		l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n- free\n\n## Docs\n\n- a.md: x\n\n## Note\n\nn\n"))
	}, `status:done>pending ##Log:created["[2026-01-01 10:00:00] [AI] Started" "free"][] ##Docs:created["a.md: x"][] ##Note:created[][] ok:STATUS_INVALID`)
	step("more of it", func() {
		l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n- free\n- free\n\n## Docs\n\n- b.md: x\n"))
	}, `##Log:changed["free"][] ##Docs:changed["b.md: x"]["a.md: x"] ##Note:removed[][]`)
	step("a reference to what then goes", func() {
		l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "\n## References\n\n- node-mjv3xk00-00000n: why\n"))
	}, `##References:created["node-mjv3xk00-00000n: why"][]`)
	step("what it refers to", func() { l.must(os.RemoveAll(l.at("ws-a/nodes/neu"))) },
		`removed node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/neu/Node.md !REFERENCE_DANGLING`+"\n")
	step("a folder without a file", func() { l.must(os.Mkdir(l.at("ws-a/nodes/void"), 0o777)) },
		`diagnosed  "" ws-a/nodes/void/Node.md !FILE_MISSING`+"\n")
	step("a file that nobody can read", func() { l.must(os.Mkdir(l.at("ws-a/nodes/void/Node.md"), 0o777)) },
		`created void "void" ws-a/nodes/void/Node.md blank !NOT_A_FILE ok:FILE_MISSING`+"\n")
	step("that goes", func() { l.must(os.RemoveAll(l.at("ws-a/nodes/void"))) },
		`removed void "void" ws-a/nodes/void/Node.md ok:NOT_A_FILE`+"\n")
	step("another workspace", func() { workspace(t, l.dir, "ws-b", 1) },
		`created  "Work" ws-b/Workspace.md`, `created root "Work" ws-b/nodes/root/Node.md`, `created node-0 "T node-0" ws-b/nodes/node-0/Node.md`)
	step("in the archive", func() {
		l.must(os.Mkdir(l.at("archive"), 0o777))
		l.must(os.Rename(l.at("ws-b"), l.at("archive/ws-b")))
	}, `moved  "Work" archive/ws-b/Workspace.md from ws-b/Workspace.md !STATUS_INVALID`+"\n")
	step("and back, with a change", func() {
		l.must(os.Rename(l.at("archive/ws-b"), l.at("ws-b")))
		l.swap("ws-b/nodes/node-0/Node.md", node("node-0", "implementing", ""))
	}, `moved  "Work" ws-b/Workspace.md from archive/ws-b/Workspace.md ok:STATUS_INVALID`+"\n", `changed node-0 "T node-0" ws-b/nodes/node-0/Node.md status:pending>implementing`+"\n")
	// Two workspaces with one id are not to be read by it.
	l.must(os.CopyFS(l.at("ws-c"), os.DirFS(l.at("ws-b"))))
	l.until(`created  "Work" ws-c/Workspace.md id:null>ws-b`, `created root "Work" ws-c/nodes/root/Node.md`, `created node-0 "T node-0" ws-c/nodes/node-0/Node.md`, ` !DUPLICATE_ID`+"\n")
	l.swap("ws-c/nodes/node-0/Node.md", node("node-0", "completed", "\n## Conclusion\n\nx\n"))
	l.until(`changed node-0 "T node-0" ws-c/nodes/node-0/Node.md status:implementing>completed`)
	l.events = nil
	l.must(os.RemoveAll(l.at("ws-b")))
	l.only(`removed  "Work" ws-b/Workspace.md ok:DUPLICATE_ID ok:DUPLICATE_ID` + "\n")
	l.agrees()
}

// A missing vault is reported once. When it is back, or another one lies at its place, the differences are reported.
func TestFeedOfAVaultThatMoves(t *testing.T) {
	t.Parallel()
	l := listen(t, small(t, 2), "")
	aside := l.dir + "-aside"
	for i, status := range []string{"implementing", "pending"} {
		l.must(os.Rename(l.dir, aside))
		if why := <-l.away; !errors.Is(why, fs.ErrNotExist) {
			t.Errorf("away as %v", why)
		}
		put(t, aside, nodeFile(i), node(fmt.Sprint("node-", i), "implementing", ""))
		put(t, aside, nodeFile(1), node("node-1", status, "\nx\n"))
		l.must(os.Rename(aside, l.dir))
		if why := <-l.away; why != nil {
			t.Errorf("back as %v", why)
		}
		l.until(fmt.Sprintf(`changed node-1 "T node-1" %s`, nodeFile(1)))
		l.agrees()
	}
	l.must(os.Rename(l.dir, aside))
	<-l.away
	l.must(os.CopyFS(l.dir, os.DirFS(aside)))
	put(t, l.dir, nodeFile(0), node("node-0", "validating", ""))
	l.ended(mdstore.ErrReplaced)
	l.run(func(ctx context.Context, e *engine.Engine) error { return l.feed.Run(ctx, e.Live()) })
	if why := <-l.away; why != nil {
		t.Errorf("back as %v", why)
	}
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:implementing>validating\n")
	l.agrees()
}

// A feed of heads tells which nodes changed and their new status, and reads no file for it.
func TestFeedOfHeads(t *testing.T) {
	t.Parallel()
	l := newListener(t, small(t, 3), "")
	l.feed.Heads = true
	l.run(func(ctx context.Context, e *engine.Engine) error { return l.feed.Run(ctx, e.Live()) })
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error {
			return os.WriteFile(l.at(nodeFile(0)), []byte(node("node-0", "implementing", "")), 0o666)
		},
			"changed node-0 implementing"},
		{func() error {
			return os.WriteFile(l.at(nodeFile(0)), []byte(node("node-0", "implementing", "a text\n")), 0o666)
		},
			"changed node-0 "},
		{func() error { return os.RemoveAll(filepath.Dir(l.at(nodeFile(1)))) }, "removed node-1 "},
	} {
		l.must(step.do())
		for _, e := range (<-l.reports).Events {
			if got := e.Kind + " " + string(e.Node) + " " + e.Status; got != step.want || e.Fields() != nil || e.Found != nil {
				t.Errorf("got %q, fields %v, diagnostics %v; want %q", got, e.Fields(), e.Found, step.want)
			}
		}
	}
}
