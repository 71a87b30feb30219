package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

type idKey struct{}

// gitdiff prints what changed in the working directory since the last gitdiff, as git sees it, with what differs from
// run to run replaced: times, digests and new ids. The first one makes the repository.
func gitdiff(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: gitdiff")
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.quotePath=false", "-c", "core.autocrlf=false",
			"-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"}, args...)...)
		cmd.Dir = ts.MkAbs(".")
		cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err != nil {
			ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	if exec.Command("git", "-C", ts.MkAbs("."), "rev-parse", "--verify", "-q", "HEAD").Run() != nil {
		git("init", "-q")
	}
	git("add", "-A", ".tanmi-workspace")
	diff := ""
	if strings.TrimSpace(git("status", "--porcelain", "--untracked-files=no")) != "" {
		if exec.Command("git", "-C", ts.MkAbs("."), "rev-parse", "--verify", "-q", "HEAD").Run() == nil {
			diff = git("diff", "--cached", "-U0", "-M", "--no-color", "--no-ext-diff")
		}
		git("commit", "-q", "-m", "x")
	}
	_, err := ts.Stdout().Write([]byte(normal(diff, ts.Value(idKey{}).(map[string]string))))
	ts.Check(err)
}

var (
	head    = regexp.MustCompile(`^diff --git a/.* b/\.tanmi-workspace/(.*)$`)
	noise   = regexp.MustCompile(`^(index|similarity|old mode|new mode|new file mode|rename to|---|\+\+\+) `)
	logTime = regexp.MustCompile(`^([-+]- )\[(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d\]`)
	msTime  = regexp.MustCompile(`^([-+](?:updated|created)At: )(\d+)$`)
	newID   = regexp.MustCompile(`\b(node|ws)-(m[n-z]|[n-z][0-9a-z])[0-9a-z]{6}-[0-9a-z]{6}\b`)
)

// The shipped vaults are older than this; what is newer differs from run to run.
const (
	newest   = 1_780_000_000_000
	newestAt = "2026-05-01"
)

// normal returns a diff without what differs from run to run. Files that only moved are counted, and the text of those
// that are gone is left out.
func normal(diff string, ids map[string]string) string {
	var b strings.Builder
	moved := 0
	blocks := strings.Split(diff, "diff --git ")
	for _, block := range blocks[1:] {
		name, body, _ := strings.Cut("diff --git "+block, "\n")
		var kept []string
		inHead := true
		for line := range strings.Lines(body) {
			isHunk := strings.HasPrefix(line, "@@ ")
			inHead = inHead && !isHunk
			if !isHunk && !(inHead && noise.MatchString(line)) {
				kept = append(kept, normalLine(strings.TrimSuffix(line, "\n")))
			}
		}
		switch {
		case len(kept) == 1 && strings.HasPrefix(kept[0], "rename from "):
			moved++
			continue
		case len(kept) > 0 && strings.HasPrefix(kept[0], "deleted file"):
			kept = []string{"gone"}
		}
		b.WriteString(head.ReplaceAllString(name, "$1") + "\n")
		for _, line := range kept {
			b.WriteString(line + "\n")
		}
	}
	if moved > 0 {
		fmt.Fprintf(&b, "%d files moved as they are\n", moved)
	}
	return newID.ReplaceAllStringFunc(b.String(), func(id string) string {
		if ids[id] == "" {
			kind, _, _ := strings.Cut(id, "-")
			ids[id] = fmt.Sprintf("%s-NEW%d", kind, len(ids)+1)
		}
		return ids[id]
	})
}

func normalLine(line string) string {
	if m := msTime.FindStringSubmatch(line); m != nil {
		if ms, err := strconv.ParseInt(m[2], 10, 64); err == nil && ms > newest {
			return m[1] + "NOW"
		}
	}
	if m := logTime.FindStringSubmatch(line); m != nil && m[2] > newestAt {
		return m[1] + "[NOW]" + line[len(m[0]):]
	}
	return line
}
