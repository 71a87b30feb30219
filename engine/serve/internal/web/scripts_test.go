package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
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
// Scripts and style sheet have at most 28.4 kB, compressed (docs/decisions/0002-dependencies.md says for what).
func TestScriptsAreShortModulesAndIdiomorphAsPublished(t *testing.T) {
	weight := 0
	for name, text := range staticFiles(t) {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = z.Write(lean(name, []byte(text))) // a buffer takes everything
		_ = z.Close()
		weight += b.Len()
		t.Logf("%s: %d bytes, compressed %d", name, len(text), b.Len())
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
	if t.Logf("together: %d bytes", weight); weight > 28.4e3 {
		t.Errorf("scripts and style sheet have %d bytes", weight)
	}
}
