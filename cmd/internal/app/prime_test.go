package app

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
)

// TestEveryLineOfPrimeRuns runs each command line that arbor prime prints, and each of the flags that stand alone. It
// replaces ID with the id of a new node, as an assistant would.
func TestEveryLineOfPrimeRuns(t *testing.T) {
	dir := lay(t, nil)
	env := map[string]string{"ARBOR_OPERATOR": "AI", "HOME": lay(t, nil), "LANG": "C.UTF-8"}
	arbor := func(stdin string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		sys := cli.System{Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Dir: dir,
			Getenv: func(key string) string { return env[key] }}
		if code := run(t.Context(), sys); code != 0 {
			t.Errorf("arbor %q: exit code %d, %s%s", args, code, &out, &errs)
		}
		return strings.TrimSpace(out.String())
	}
	command := regexp.MustCompile("`(arbor [^`]+|--[^`]+)`")
	word := regexp.MustCompile(`"[^"]*"|\S+`)
	ran := 0
	runLine := func(line, node, hash string) {
		t.Helper()
		ran++
		line, outline, _ := strings.Cut(line, " < ")
		if outline != "" {
			outline = "- One\n  do it\n  - Two\n"
		}
		var args []string
		for _, w := range word.FindAllString(line, -1)[1:] {
			w = strings.Trim(w, `"`)
			switch w {
			case "ID":
				w = node
			case "HASH":
				w = hash
			}
			args = append(args, w)
		}
		arbor(outline, args...)
	}
	for _, m := range command.FindAllStringSubmatch(arbor("", "prime"), -1) {
		if strings.HasPrefix(m[1], "arbor init") { // of a project without a plan
			runLine(m[1], "", "")
		}
	}
	arbor("", "rules", "add", "Tests first")
	shown := strings.Fields(arbor("", "rules"))
	hash := shown[len(shown)-1]
	if text := arbor("", "prime"); !strings.Contains(text, "rulesHash "+hash+":\n> - Tests first\n") {
		t.Errorf("prime does not say the rules and their hash:\n%s", text)
	}
	phase := arbor("", "add", "Phase", "-t", "planning", "--rules-hash", hash, "-q")
	task := func() string {
		return arbor("", "add", "Task", "-p", phase, "--rules-hash", hash, "--criterion", "it works", "-q")
	}
	var add string
	for _, m := range command.FindAllStringSubmatch(arbor("", "prime"), -1) {
		line, node := m[1], ""
		switch {
		case strings.HasPrefix(line, "--rules-hash"):
			runLine(strings.ReplaceAll(add, " ID", " "+phase)+" "+line, phase, hash)
			continue
		case strings.HasPrefix(line, "--"):
			line = strings.ReplaceAll(add, " ID", " "+phase) + " --rules-hash HASH " + line
			node = task()
		case strings.HasPrefix(line, "arbor add"):
			add, node = line, phase
			line += " --rules-hash HASH"
			if text, file, ok := strings.Cut(m[1], " < "); ok {
				add, line = `arbor add "Title" -p ID -m "x"`, text+" --rules-hash HASH < "+file
			}
		default:
			if node = task(); !strings.Contains(line, " start ") && !strings.Contains(line, " drop ") {
				arbor("", "start", node)
			}
			if strings.Contains(line, " complete ") {
				arbor("", "tick", node, "1")
			}
		}
		runLine(line, node, hash)
	}
	if ran < 18 {
		t.Errorf("%d lines were found", ran)
	}
}
