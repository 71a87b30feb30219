//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ranPages are the pages whose commands are run, each in an empty folder of its own.
var ranPages = []string{"tutorial.md", "teams.md", "obsidian.md", "comeback.md", "search.md", "git.md", "environments.md"}

// shBlock is a block of commands on a page, with the block of what they print where one follows.
var shBlock = regexp.MustCompile("(?m)^```sh\n((?:.*\n)*?)```\n(?:\n```text\n((?:.*\n)*?)```\n)?")

// TestCommandsOfPages runs the commands of ranPages in order. Each prints what the page says, on both streams, but for
// ids, times and versions; where the page says nothing it succeeds.
// go test ./cmd/arbor -run TestCommandsOfPages -update writes the outputs again.
func TestCommandsOfPages(t *testing.T) {
	for _, program := range []string{"bash", "git", "perl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here", program)
		}
	}
	for _, name := range ranPages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runPage(t, filepath.Join("../../docs", name))
		})
	}
}

func runPage(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	blocks := shBlock.FindAllStringSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Fatalf("%s has no commands", file)
	}
	const mark = "-- end of block, code "
	var script strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&script, "{\n%s} </dev/null 2>&1\necho \"%s$?\"\n", b[1], mark)
	}
	cmd := exec.Command("bash", "-c", script.String())
	cmd.Dir = t.TempDir()
	home := t.TempDir() // in which no vault is made
	cmd.Env = []string{
		"PATH=" + quickPath(t), "HOME=" + home, "TERM=dumb", "LC_ALL=C.UTF-8", "GORACE=" + os.Getenv("GORACE"),
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"), "GIT_CONFIG_SYSTEM=/dev/null",
	}
	person := []byte("[user]\n\tname = You\n\temail = you@example.org\n")
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), person, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	marked := regexp.MustCompile(mark + `(\d+)\n`)
	printed := marked.Split(settled(t, string(out), cmd.Dir), -1)
	codes := marked.FindAllStringSubmatch(string(out), -1)
	if len(codes) != len(blocks) {
		t.Fatalf("%d of %d blocks ended\n%s", len(codes), len(blocks), out)
	}
	for i, b := range blocks {
		quoted := strings.HasSuffix(b[0], "```\n") && strings.Contains(b[0], "\n```text\n")
		switch {
		case quoted && b[2] != printed[i] && *update:
			page = strings.Replace(page, b[0], strings.TrimSuffix(b[0], b[2]+"```\n")+printed[i]+"```\n", 1)
		case quoted && b[2] != printed[i]:
			t.Errorf("after\n%s got\n%swant\n%s(run with -update to write it again)", b[1], printed[i], b[2])
		case !quoted && (codes[i][1] != "0" || strings.Contains("\n"+printed[i], "\narbor: ")):
			t.Errorf("exit code %s of\n%s%s", codes[i][1], b[1], printed[i])
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	pageID      = regexp.MustCompile(`^(ws|node|session|state|slot)-[0-9a-z]{8}-([0-9a-z]{6})(?:\.md)?$`)
	pageSlot    = regexp.MustCompile(`(?m)^id: (slot-[0-9a-z]{8}-[0-9a-z]{6})$`)
	pageTime    = regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\b`)
	pageCommit  = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	pageVersion = regexp.MustCompile(`\b(version )[0-9a-f]{16}\b`)
)

// settled replaces what differs from run to run: the folder, times, versions, and the ids of the plan below dir, also
// where only their ends are shown. Ids become numbers in the order in which they were made, and keep their length.
func settled(t *testing.T, s, dir string) string {
	t.Helper()
	var ids []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".local" {
			return fs.SkipDir
		}
		if name := filepath.Base(path); pageID.MatchString(name) {
			ids = append(ids, strings.TrimSuffix(name, ".md"))
		} else if filepath.Base(filepath.Dir(path)) == "memory" && strings.HasSuffix(name, ".md") {
			slot, err := os.ReadFile(path)
			if m := pageSlot.FindSubmatch(slot); m != nil {
				ids = append(ids, string(m[1]))
			}
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(ids, func(a, b string) int { // by the time in them
		return strings.Compare(a[strings.IndexByte(a, '-'):], b[strings.IndexByte(b, '-'):])
	})
	full, ends := []string{dir, "~"}, []string{}
	for i, id := range ids {
		m := pageID.FindStringSubmatch(id)
		end := fmt.Sprintf("aaaa%02d", i)
		full = append(full, id, m[1]+"-mk0vum89-"+end)
		ends = append(ends, m[2], end)
	}
	s = strings.NewReplacer(append(full, ends...)...).Replace(s)
	s = pageCommit.ReplaceAllString(s, "0123456789ab")
	return pageVersion.ReplaceAllString(pageTime.ReplaceAllStringFunc(s, func(at string) string { return "2026-11-23 09:00:00"[:len(at)] }), "${1}0123456789abcdef")
}
