package dirstore_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/dirstore/internal/osfs"
)

const text = "---\nname: W\nupdatedAt: 1\n---\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\n"

var updated = regexp.MustCompile(`updatedAt: [0-9]+`)

// timed returns a text with the current time in updatedAt, as each commit sets it.
func timed(s string) string {
	return updated.ReplaceAllString(s, fmt.Sprint("updatedAt: ", time.Now().UnixNano()))
}

// body returns a text without its front matter.
func body(s string) string {
	_, out, _ := strings.Cut(s, "---\n\n")
	return out
}

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}

// must commits f of the file's text, and fails the test on an error.
func must(t *testing.T, dir string, f func(string) string) mdstore.Result {
	t.Helper()
	res, err := change(t, open(t, dir), func(s string) string { return timed(f(s)) })
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// next commits another file, and returns the text of the file afterwards and the reported collisions.
func next(t *testing.T, dir string) (string, []mdstore.Collision) {
	t.Helper()
	s := open(t, dir)
	old, err := s.Read(t.Context(), "ws/next")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	res, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/next", Base: old.Version, New: append(old.Data, 'x')}})
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, dir)[string(own)], res.Collisions
}

// A stale save, made from an older version, gets the changes of commits back by the next commit of any process. This
// holds for each save of an editor that never reads the file again, but not for the same bytes a second time.
func TestAStaleSaveIsMergedOnce(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	at := filepath.Join(dir, string(own))
	must(t, dir, replace("two", "TWO"))
	must(t, dir, replace("six", "SIX"))
	stale := strings.Replace(text, "four", "FOUR", 1)
	write(t, at, stale)
	s := open(t, dir)
	met, err := s.Late(t.Context(), false)
	if err != nil || len(met) != 1 || !strings.HasPrefix(met[0].Text, "STALE_SAVE: ") || contents(t, dir)[string(own)] != stale {
		t.Fatalf("a look: %v, error %v, the file holds %q", met, err, contents(t, dir)[string(own)])
	}
	want := "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n"
	if got, met := next(t, dir); body(got) != want || len(met) != 1 {
		t.Fatalf("got %q, told of %v", got, met)
	}
	if got, met := next(t, dir); body(got) != want || len(met) != 0 {
		t.Errorf("once more: %q, told of %v", got, met)
	}
	again := strings.Replace(stale, "one\n", "zero\none\n", 1)
	write(t, at, again)
	if got, met := next(t, dir); body(got) != "zero\n"+want || len(met) != 1 {
		t.Errorf("the next save of the same buffer: %q, told of %v", got, met)
	}
	write(t, at, again)
	if got, met := next(t, dir); got != again || len(met) != 1 || !strings.HasPrefix(met[0].Text, "TAKEN_OUT: ") {
		t.Errorf("the same bytes: %q, told of %v", got, met)
	}
	if got, met := next(t, dir); got != again || len(met) != 0 {
		t.Errorf("told again: %q, %v", got, met)
	}
	if out, err := s.TakenOut(t.Context()); err != nil || len(out) != 1 {
		t.Errorf("what is taken out: %v, error %v", out, err)
	}
	must(t, dir, replace("five", "FIVE"))
	write(t, at, strings.Replace(again, "seven", "SEVEN", 1))
	if got, _ := next(t, dir); body(got) != "zero\none\ntwo\nthree\nFOUR\nFIVE\nsix\nSEVEN\n" {
		t.Errorf("what came after that: %q", got)
	}
}

// A commit computed from a stale save is refused, and the save is merged. Computed again, the commit succeeds.
func TestACommitOverAStaleSaveMergesIt(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	s := open(t, dir)
	if _, err := change(t, s, func(s string) string { return timed(replace("two", "TWO")(s)) }); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, string(own)), strings.Replace(text, "four", "FOUR", 1))
	if _, err := change(t, s, replace("six", "SIX")); err == nil {
		t.Fatal("no conflict: the commit was computed from the save alone")
	}
	if _, err := change(t, s, replace("six", "SIX")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir)[string(own)]; body(got) != "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n" {
		t.Errorf("got %q", got)
	}
}

// A program that saves in place empties the file first, maybe for a while. The empty file counts as no version: it is
// not reported, and the text written later is merged, or kept, as if the file had not been empty.
func TestAFileThatIsEmptyForAWhileIsNoVersion(t *testing.T) {
	const line = "- [2026-01-01 00:00:00] [AI] done\n"
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	must(t, dir, func(s string) string { return s + "\n## Log\n\n" + line })
	at := filepath.Join(dir, string(own))
	saved := strings.Replace(contents(t, dir)[string(own)], "four", "FOUR", 1)
	write(t, at, "")
	if got, met := next(t, dir); got != "" || len(met) > 0 {
		t.Errorf("an empty file became %q, told of %v", got, met)
	}
	write(t, at, saved)
	if got, met := next(t, dir); got != saved || len(met) > 0 {
		t.Errorf("%q became %q, told of %v", saved, got, met)
	}
	must(t, dir, replace("six", "SIX"))
	write(t, at, "")
	next(t, dir)
	write(t, at, strings.Replace(saved, "two", "TWO", 1))
	want := "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n\n## Log\n\n" + line
	if got, _ := next(t, dir); body(got) != want {
		t.Errorf("got %q", got)
	}
	must(t, dir, replace("five", "FIVE"))
}

// A save made from the current version is kept, whatever it removes. So is a save equal to an older version, such as an
// undo in the editor or a backup.
func TestAnOrdinarySaveAndAReturnStand(t *testing.T) {
	for name, c := range map[string]struct {
		save func(string) string
		told int
	}{
		"an edit":   {replace("seven", "SEVEN"), 0},
		"a removal": {replace("SIX\n", ""), 0},
		"a return":  {func(string) string { return text }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fill(t, map[string]string{"ws/Workspace.md": text})
			must(t, dir, replace("two", "TWO"))
			must(t, dir, replace("six", "SIX"))
			save := c.save(contents(t, dir)[string(own)])
			write(t, filepath.Join(dir, string(own)), save)
			got, met := next(t, dir)
			if got != save || len(met) != c.told {
				t.Errorf("got %q, told of %v", got, met)
			}
			edit := strings.Replace(save, "three", "THREE", 1) // the person edits that version
			write(t, filepath.Join(dir, string(own)), edit)
			if got, met := next(t, dir); got != edit || len(met) != 0 {
				t.Errorf("then %q, told of %v", got, met)
			}
		})
	}
}

// TakenOut goes on to name what a save removed, however many saves that removed nothing are judged afterwards.
func TestARemovalIsNamedHoweverManySavesFollow(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	must(t, dir, replace("name: W", "name: V"))
	write(t, filepath.Join(dir, string(own)), text)
	next(t, dir)
	judged := filepath.Join(dir, mdstore.LocalDir, "record", "judged")
	later, err := os.OpenFile(judged, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 { // more than the file keeps
		fmt.Fprintf(later, `{"time":%d,"path":"ws/%d/Workspace.md","version":"%016d"}`+"\n", time.Now().UnixNano(), i, i)
	}
	if err := later.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, string(own)), strings.Replace(text, "three", "THREE", 1)) // is judged, which trims the file
	next(t, dir)
	if info, err := os.Stat(judged); err != nil || info.Size() > 33<<10 {
		t.Fatalf("the file of judgments was not trimmed: %v, %v", info, err)
	}
	told, err := open(t, dir).TakenOut(t.Context())
	if err != nil || len(told) != 1 || told[0].Path != own {
		t.Errorf("told of %v, %v", told, err)
	}
}

// Late names a save from an older version, and merges it, however many files were committed since the commit that the
// save lacks. The history does not reach back to that commit.
func TestAStaleSaveIsNamedHoweverManyCommitsFollow(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	must(t, dir, replace("two", "TWO"))
	before := contents(t, dir)[string(own)]
	must(t, dir, replace("six", "SIX"))
	var others []mdstore.Change
	for i := range 200 {
		others = append(others, mdstore.Change{Path: mdstore.Path(fmt.Sprintf("ws/%0200d", i)), New: []byte("x")})
	}
	if _, err := open(t, dir).Commit(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	next(t, dir) // shortens the history
	write(t, filepath.Join(dir, string(own)), replace("three", "THREE")(before))
	next(t, dir)
	told, err := open(t, dir).Late(t.Context(), false)
	if err != nil || len(told) != 1 || told[0].Path != own || !strings.HasPrefix(told[0].Text, "STALE_SAVE") {
		t.Errorf("told of %v, %v", told, err)
	}
	if _, err := open(t, dir).Late(t.Context(), true); err != nil {
		t.Error(err)
	}
	if got := contents(t, dir)[string(own)]; !strings.Contains(got, "THREE") || !strings.Contains(got, "SIX") {
		t.Errorf("merged: %q", got)
	}
	if told, err := open(t, dir).Late(t.Context(), false); err != nil || len(told) > 0 {
		t.Errorf("afterwards told of %v, %v", told, err)
	}
}

// If an older version returns a second time, with a commit in between, it is checked again, so that an edit of it is
// kept: the person has read it. This holds also after a commit of many files, and one that a crash ended.
func TestAReturnIsJudgedAfterEachCommit(t *testing.T) {
	six := func(t *testing.T, dir string) mdstore.Change {
		was := contents(t, dir)[string(own)]
		return mdstore.Change{Path: own, Base: mdstore.VersionOf([]byte(was)), New: []byte(timed(replace("six", "SIX")(was)))}
	}
	commits := map[string]func(t *testing.T, dir string){
		"of one file": func(t *testing.T, dir string) { must(t, dir, replace("six", "SIX")) },
		"of many files": func(t *testing.T, dir string) {
			all := []mdstore.Change{six(t, dir)}
			for i := range 200 {
				p := mdstore.Path(fmt.Sprint("ws/", time.Now().UnixNano(), "-", i))
				all = append(all, mdstore.Change{Path: p, New: []byte("x")})
			}
			if _, err := open(t, dir).Commit(t.Context(), all); err != nil {
				t.Fatal(err)
			}
		},
	}
	for at := 1; at < 12; at++ {
		commits[fmt.Sprint("that was killed at step ", at)] = func(t *testing.T, dir string) {
			life := &crashtest.Life{At: at, Hasty: true}
			s, err := life.Open(dir, dirstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			life.Lives(func() { _, _ = s.Commit(t.Context(), []mdstore.Change{six(t, dir)}) })
			next(t, dir)
		}
	}
	for name, commit := range commits {
		t.Run(name, func(t *testing.T) {
			dir := fill(t, map[string]string{"ws/Workspace.md": text})
			must(t, dir, replace("two", "TWO"))
			at := filepath.Join(dir, string(own))
			for range 2 {
				write(t, at, text)
				if got, _ := next(t, dir); got != text {
					t.Fatalf("what came back: %q", got)
				}
				commit(t, dir)
			}
			write(t, at, text)
			next(t, dir)
			edit := strings.Replace(text, "three", "THREE", 1)
			write(t, at, edit)
			if got, met := next(t, dir); got != edit || len(met) != 0 {
				t.Errorf("then %q, told of %v", got, met)
			}
		})
	}
}

// If both changed the same lines, the file keeps the person's text, and the commit's version is kept beside it.
func TestWhatDoesNotGoTogetherLiesBeside(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	ours := strings.NewReplacer("two", "TWO", "six", "SIX")
	must(t, dir, ours.Replace)
	stale := strings.Replace(text, "two", "2", 1)
	write(t, filepath.Join(dir, string(own)), stale)
	got, met := next(t, dir)
	if body(got) != "one\n2\nthree\nfour\nfive\nSIX\nseven\n" || len(met) != 1 || !strings.HasPrefix(met[0].Text, "STALE_SAVE: ") {
		t.Fatalf("got %q, told of %v", got, met)
	}
	if copied := contents(t, dir)[string(met[0].Copy)]; body(copied) != body(ours.Replace(text)) {
		t.Errorf("the copy holds %q", copied)
	}
	if _, met := next(t, dir); len(met) != 0 {
		t.Errorf("told again: %v", met)
	}
}

// repository makes a git repository of a vault's project, commits everything, and returns a function that runs git in
// it.
func repository(t *testing.T, dir string) (run func(words ...string) string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	top := filepath.Dir(dir)
	run = func(words ...string) string {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", top, "-c", "user.name=a", "-c", "user.email=a@b"}, words...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", words, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write(t, filepath.Join(top, ".gitignore"), ".local/\n")
	run("init", "-q", "-b", "main")
	run("add", ".")
	run("commit", "-qm", "a")
	return run
}

// A restored backup is kept, and so is an edit of it, also if git has all of it and nothing is reported.
func TestWhatABackupBringsBackStands(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	run := repository(t, dir)
	must(t, dir, replace("two", "TWO"))
	run("commit", "-qam", "b")
	for _, save := range []string{text, strings.Replace(text, "six", "SIX", 1)} {
		write(t, filepath.Join(dir, string(own)), save)
		if got, met := next(t, dir); got != save || len(met) != 0 {
			t.Errorf("%q became %q, told of %v", save, got, met)
		}
	}
}

// Versions that git restores are kept: git status is the same as without Arbor.
func TestWhatGitBringsBackStands(t *testing.T) {
	for _, words := range [][]string{{"stash"}, {"checkout", "HEAD", "--", "."}, {"reset", "--hard", "-q"}, {"restore", "."}} {
		t.Run(words[0], func(t *testing.T) {
			dir := fill(t, map[string]string{"ws/Workspace.md": text})
			run := repository(t, dir)
			must(t, dir, replace("two", "TWO"))
			must(t, dir, replace("six", "SIX"))
			run(words...)
			s, err := dirstore.Open(dir, dirstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Late(t.Context(), true); err != nil {
				t.Error(err)
			}
			if got := contents(t, dir)[string(own)]; got != text {
				t.Errorf("got %q", got)
			}
			if out := run("status", "--porcelain"); out != "" {
				t.Errorf("git status: %s", out)
			}
		})
	}
}

// A version that git restores may be one of several between two commits of Arbor, as saves of people do not set
// updatedAt. An edit of it is kept, whichever of them is nearest to it.
func TestAnEditOfWhatGitBroughtBackStands(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	at := filepath.Join(dir, string(own))
	run := repository(t, dir)
	must(t, dir, replace("two", "TWO"))
	run("commit", "-qam", "b")
	write(t, at, strings.Replace(contents(t, dir)[string(own)], "name: W", "name: X", 1))
	must(t, dir, replace("six", "SIX"))
	run("checkout", "-q", "HEAD", "--", ".")
	edit := strings.Replace(contents(t, dir)[string(own)], "name: W", "name: Y", 1)
	write(t, at, edit)
	if got, met := next(t, dir); got != edit || len(met) != 1 {
		t.Errorf("%q became %q, told of %v", edit, got, met)
	}
}

// That git ran at the time proves nothing: prompts and editors run git status after each save. Neither does an empty
// file in its index, as a save in two steps begins with one.
func TestGitElsewhereMakesNoReturn(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	top := filepath.Dir(dir)
	write(t, filepath.Join(top, "empty"), "")
	run := repository(t, dir)
	must(t, dir, replace("two", "TWO"))
	must(t, dir, replace("six", "SIX"))
	write(t, filepath.Join(dir, string(own)), strings.Replace(text, "four", "FOUR", 1))
	write(t, filepath.Join(top, "code"), "x")
	run("add", "code")
	run("status")
	if got, _ := next(t, dir); body(got) != "one\nTWO\nthree\nFOUR\nfive\nSIX\nseven\n" {
		t.Errorf("got %q", got)
	}
	write(t, filepath.Join(dir, string(own)), "")
	if got, _ := next(t, dir); strings.Contains(got, "one") {
		t.Errorf("an emptied file got %q", got)
	}
}

// The distance between short texts does not show from which version a save was made; updatedAt does.
func TestTheTimeOfTheLastCommitTellsTheBase(t *testing.T) {
	head := func(at string) string {
		return "---\nid: ws\nname: W\nstatus: active\nupdatedAt: " + at + "\n---\n\n## Problem\n\n"
	}
	dir := fill(t, map[string]string{"ws/Workspace.md": head("1") + "old\n"})
	must(t, dir, func(string) string { return head("2") + "ours\n" })
	theirs := head("1") + "theirs\n"
	write(t, filepath.Join(dir, string(own)), theirs)
	got, met := next(t, dir)
	if !strings.Contains(got, "theirs") || len(met) == 0 || !strings.Contains(met[len(met)-1].Text, "STALE_SAVE: ") {
		t.Fatalf("got %q, told of %v", got, met)
	}
	if copied := contents(t, dir)[string(met[len(met)-1].Copy)]; !strings.Contains(copied, "ours") {
		t.Errorf("the copy holds %q", copied)
	}
}

// A file that was moved away and back is checked against what happened since.
func TestAMoveEndsWhatTheRecordSaysOfAFile(t *testing.T) {
	dir := fill(t, map[string]string{"ws/Workspace.md": text})
	s := open(t, dir)
	read := func(p mdstore.Path) mdstore.File {
		f, err := s.Read(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	commit := func(changes ...mdstore.Change) {
		t.Helper()
		if _, err := s.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
	}
	was := read(own)
	there := []byte(strings.Replace(text, "two", "archived", 1))
	commit(mdstore.Change{Path: own, Base: was.Version, New: there}, mdstore.Change{Path: "ws", To: "archive/ws"})
	back := mdstore.Change{Path: "archive/ws/Workspace.md", Base: mdstore.VersionOf(there), New: was.Data}
	commit(back, mdstore.Change{Path: "archive/ws", To: "ws"})
	write(t, filepath.Join(dir, string(own)), strings.Replace(text, "four", "FOUR", 1))
	if got, met := next(t, dir); !strings.Contains(got, "two") || !strings.Contains(got, "FOUR") || len(met) != 0 {
		t.Errorf("got %q, told of %v", got, met)
	}
}

// If git writes its index during a commit, the commit checks its files again, and restores changes that git removed.
// Files that the commit itself moved do not count as removed.
func TestACommitBesideGitLooksOnceMore(t *testing.T) {
	for name, move := range map[string]bool{"a write": false, "a write and a move of its folder": true} {
		dir := fill(t, map[string]string{"ws/Workspace.md": text})
		at := filepath.Join(filepath.Dir(dir), ".git")
		index(t, at, mdstore.DefaultVault)
		s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS {
			return swapping{d, func() error {
				then := time.Now().Add(time.Hour)
				return os.Chtimes(filepath.Join(at, "index"), then, then)
			}}
		})
		if err != nil {
			t.Fatal(err)
		}
		changes := []mdstore.Change{{Path: own, Base: mdstore.VersionOf([]byte(text)), New: []byte("ours\n" + text)}}
		want := string(own)
		if move {
			changes, want = append(changes, mdstore.Change{Path: "ws", To: "archive/ws"}), "archive/ws/Workspace.md"
		}
		if _, err := s.Commit(t.Context(), changes); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := contents(t, dir)[want]; got != "ours\n"+text {
			t.Errorf("%s: %s holds %q", name, want, got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A stash reads the files first and resets them later. A write between these two is restored by the next command, also
// if the stash was popped meanwhile. A write that a plain reset discards is reported.
func TestAStashTakesNothingOutInSilence(t *testing.T) {
	for name, c := range map[string]struct {
		after []string
		want  string // "" if git's text is kept, which is reported
	}{
		"a stash":                  {[]string{"stash store ID", "reset --hard -q"}, "one\ntwo\nthree\nfour\nfive\nSIX\nseven\n"},
		"a stash, and its pop":     {[]string{"stash store ID", "reset --hard -q", "stash pop -q"}, "one\nTWO\nthree\nfour\nfive\nSIX\nseven\n"},
		"a reset":                  {[]string{"reset --hard -q"}, ""},
		"a reset, all was packed":  {[]string{"reset --hard -q", "gc -q --prune=now"}, ""},
		"a checkout of the folder": {[]string{"checkout -q HEAD -- ."}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fill(t, map[string]string{"ws/Workspace.md": text})
			top := filepath.Dir(dir)
			run := repository(t, dir)
			must(t, dir, replace("two", "TWO"))
			id := run("stash", "create")
			must(t, dir, replace("six", "SIX"))
			for _, line := range c.after {
				run(strings.Fields(strings.Replace(line, "ID", id, 1))...)
			}
			// Within one tick of the clock for file times, a stash counts as still running.
			then := time.Now().Add(time.Second)
			if err := os.Chtimes(filepath.Join(top, ".git", "index"), then, then); err != nil {
				t.Fatal(err)
			}
			s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			met, err := s.Late(t.Context(), true)
			got := body(contents(t, dir)[string(own)])
			switch {
			case err != nil || len(met) != 1:
				t.Fatalf("told of %v, error %v", met, err)
			case c.want != "" && got != c.want:
				t.Errorf("got %q, told of %v", got, met)
			case c.want == "" && (got != body(text) || !strings.HasPrefix(met[0].Text, "TAKEN_OUT: ")):
				t.Errorf("got %q, told of %v", got, met)
			}
			if met, err := s.Late(t.Context(), true); err != nil || len(met) != 0 || body(contents(t, dir)[string(own)]) != got {
				t.Errorf("once more: %v, error %v", met, err)
			}
		})
	}
}

// However many files git has reset, Arbor asks git about all of them in one call.
func TestWhatGitTookBackIsAskedOfGitAtOnce(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no git here, or no script that stands for it")
	}
	const files = 40
	texts := map[string]string{}
	for i := range files {
		texts[fmt.Sprintf("ws/nodes/n%d/Node.md", i)] = strings.Replace(text, "one", fmt.Sprintf("one %d", i), 1)
	}
	dir := fill(t, texts)
	run := repository(t, dir)
	s := open(t, dir)
	for p := range texts {
		was, err := s.Read(t.Context(), mdstore.Path(p))
		if err != nil {
			t.Fatal(err)
		}
		change := mdstore.Change{Path: mdstore.Path(p), Base: was.Version, New: []byte(timed(strings.Replace(string(was.Data), "two", "TWO", 1)))}
		if _, err := s.Commit(t.Context(), []mdstore.Change{change}); err != nil {
			t.Fatal(err)
		}
	}
	run("reset", "--hard", "-q")
	bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	write(t, filepath.Join(bin, "git"), fmt.Sprintf("#!/bin/sh\necho call >>%q\nexec %q \"$@\"\n", calls, git))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, merge := range []bool{false, true} {
		s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
		if err != nil {
			t.Fatal(err)
		}
		met, err := s.Late(t.Context(), merge)
		if err != nil || len(met) != files {
			t.Errorf("merge %v: told of %d of %d files, error %v: %v", merge, len(met), files, err, met)
		}
		made, err := os.ReadFile(calls)
		if n := strings.Count(string(made), "call"); err != nil || n > 8 {
			t.Errorf("merge %v: git was started %d times, error %v", merge, n, err)
		}
		_ = os.Remove(calls)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The files of another branch are kept after a switch, and so are edits of them. Committed changes are not reported.
func TestASwitchOfBranchesIsNoEvent(t *testing.T) {
	for _, pack := range []bool{false, true} {
		dir := fill(t, map[string]string{"ws/Workspace.md": text})
		at := filepath.Join(dir, string(own))
		run := repository(t, dir)
		run("branch", "side")
		must(t, dir, replace("two", "TWO"))
		must(t, dir, replace("six", "SIX"))
		run("commit", "-qam", "b")
		if pack {
			run("gc", "-q")
		}
		run("switch", "-q", "side")
		if got, met := next(t, dir); got != text || len(met) != 0 {
			t.Errorf("packed %v: got %q, told of %v", pack, got, met)
		}
		edit := strings.Replace(text, "four", "FOUR", 1)
		write(t, at, edit)
		if got, met := next(t, dir); got != edit || len(met) != 0 {
			t.Errorf("packed %v: an edit on top: %q, told of %v", pack, got, met)
		}
		run("commit", "-qam", "an edit")
		must(t, dir, replace("one", "ONE"))
		write(t, at, strings.Replace(contents(t, dir)[string(own)], "seven", "SEVEN", 1)) // not Arbor's text alone
		run("commit", "-qam", "an edit on top of what was written")
		run("switch", "-q", "main")
		if _, met := next(t, dir); len(met) != 0 {
			t.Errorf("packed %v: after an edit that was committed: told of %v", pack, met)
		}
	}
}
