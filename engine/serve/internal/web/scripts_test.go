package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// published is the script that is not ours.
const published = "idiomorph.min.js"

// staticFiles returns scripts and style sheet by their names.
func staticFiles(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := fs.Glob(files, "static/*")
	for _, name := range names {
		data, wrong := files.ReadFile(name)
		if wrong != nil {
			err = wrong
		}
		all[path.Base(name)] = string(data)
	}
	if err != nil || len(all) < 3 {
		t.Fatalf("%d static files: %v", len(all), err)
	}
	return all
}

// scriptText returns all scripts of our own.
func scriptText(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for name, text := range staticFiles(t) {
		if strings.HasSuffix(name, ".js") && name != published {
			all.WriteString(text)
		}
	}
	return all.String()
}

// The page needs no build: its scripts are modules of at most 200 lines, and idiomorph as its authors published it.
// Scripts and style sheet have at most 25 kB, as they are sent and compressed.
func TestScriptsAreShortModulesAndIdiomorphAsPublished(t *testing.T) {
	for name, text := range staticFiles(t) {
		if name == published {
			sum := sha256.Sum256([]byte(text))
			page, err := os.ReadFile("../../../../docs/decisions/0002-dependencies.md")
			if err != nil || !strings.Contains(string(page), hex.EncodeToString(sum[:])) {
				t.Errorf("docs/decisions/0002-dependencies.md has not the hash of %s: %x %v", name, sum, err)
			}
			continue
		}
		if n := strings.Count(text, "\n"); strings.HasSuffix(name, ".js") && n > 200 {
			t.Errorf("%s has %d lines", name, n)
		}
		for i, line := range strings.Split(text, "\n") {
			if len([]rune(line)) > 120 && strings.HasSuffix(name, ".js") {
				t.Errorf("%s:%d has more than 120 columns", name, i+1)
			}
		}
	}
	weight := 0
	for _, name := range []string{"main.js", "login.js", "app.css", published} {
		data := leanOf(t, name)
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = z.Write([]byte(data)) // a buffer takes everything
		_ = z.Close()
		weight += b.Len()
		t.Logf("%s: %d bytes, compressed %d", name, len(data), b.Len())
	}
	if t.Logf("together: %d bytes", weight); weight > 25e3 {
		t.Errorf("scripts and style sheet have %d bytes", weight)
	}
}

// A script is sent as one module with all that it imports. So a name at the top of a module is in no other one.
func TestModulesAreJoined(t *testing.T) {
	top := regexp.MustCompile(`(?m)^(?:export )?(?:async )?(?:function|const|let) ([\w$]+)`)
	first := map[string]string{}
	for name, text := range staticFiles(t) {
		for _, m := range top.FindAllStringSubmatch(text, -1) {
			if other := first[m[1]]; other != "" && name != published {
				t.Errorf("%s is at the top of %s and of %s", m[1], name, other)
			}
			first[m[1]] = name
		}
		if strings.HasSuffix(name, ".js") && name != published {
			if got := regexp.MustCompile(`(?m)^import .*`).FindString(leanOf(t, name)); got != "" {
				t.Errorf("%s is sent with %s", name, got)
			}
		}
	}
	all := leanOf(t, "main.js")
	for name := range staticFiles(t) { // each module once, and all of them
		text, _ := files.ReadFile("static/" + name)
		for _, m := range regexp.MustCompile(`(?m)^export (?:async )?function (\w+)`).FindAllStringSubmatch(string(text), -1) {
			if n := strings.Count(all, "function "+m[1]+"("); n != 1 {
				t.Errorf("main.js has %s of %s %d times", m[1], name, n)
			}
		}
	}
}

func leanOf(t *testing.T, name string) string {
	t.Helper()
	data, err := sent(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
