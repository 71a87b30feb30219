package web

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// staticHash is the hash of all files of the folder static. Their addresses have it, so browsers keep them for ever,
// and modules still name each other by relative paths.
var staticHash = sync.OnceValue(func() string {
	sum := sha256.New()
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
		return err
	})
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:6])
})

// static returns the address of a file of the folder static; in an export, the file lies beside the page.
func (l look) static(name string) string {
	if l.Static {
		return name
	}
	return "/static/" + staticHash() + "/" + name
}

// sent returns a file of the folder static as browsers get it. A script of our own is one module with all that it
// imports, which is one request and compresses better: names at the top of modules all differ (TestModulesAreJoined).
// It has no indentation and comments, a style sheet also no blanks that say nothing. A comment behind code has no
// quotes.
func sent(name string) ([]byte, error) {
	data, err := files.ReadFile("static/" + name)
	if err != nil || name == "idiomorph.min.js" {
		return data, err
	}
	var b strings.Builder
	lean(&b, name, string(data), map[string]bool{name: true})
	return []byte(b.String()), nil
}

// lean writes a script or style sheet, behind those modules that it imports and that are not in met.
func lean(b *strings.Builder, name, text string, met map[string]bool) {
	script := path.Ext(name) == ".js"
	var own strings.Builder // the modules before it have their place before it
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if i := strings.LastIndex(" "+line, " // "); script && i >= 0 && !strings.ContainsAny(line[i:], "\"'`") {
			line = strings.TrimSpace(line[:i])
		}
		switch _, from, imports := strings.Cut(line, ` from "./`); {
		case line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*"):
		case script && imports && strings.HasPrefix(line, "import "):
			if other := strings.TrimSuffix(from, `";`); !met[other] {
				met[other] = true
				data, _ := files.ReadFile("static/" + other) // a test knows that it is there
				lean(b, other, string(data), met)
			}
		case script:
			own.WriteString(strings.TrimPrefix(line, "export ") + "\n")
		default:
			rule, _, _ := strings.Cut(line, " /*")
			own.WriteString(leanRule.Replace(rule))
		}
	}
	b.WriteString(own.String())
}

// leanRule takes blanks out of a rule of the style sheet.
var leanRule = strings.NewReplacer(" { ", "{", " {", "{", "; }", "}", " }", "}", "; ", ";", ": ", ":", ", ", ",",
	" > ", ">")

// staticKinds are the content types of static files by the endings of their names.
var staticKinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// staticFile serves a file of the folder static.
func staticFile(w http.ResponseWriter, r *http.Request) {
	data, err := sent(r.PathValue("name"))
	if err != nil || r.PathValue("hash") != staticHash() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", staticKinds[path.Ext(r.PathValue("name"))])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(data) // if this fails, the client is gone
}

// compressed compresses the replies to GET for clients that accept gzip. It must not be used for streams.
func compressed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if r.Method != http.MethodGet || !acceptsGzip(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		next.ServeHTTP(gzipped{w, z}, r)
		_ = z.Close() // if this fails, the client is gone
	})
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		kind, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if kind == "gzip" && strings.Trim(weight, "q=.0") != "" || kind == "gzip" && weight == "" {
			return true
		}
	}
	return false
}

// A gzipped is a ResponseWriter whose body is compressed.
type gzipped struct {
	http.ResponseWriter
	body *gzip.Writer
}

func (g gzipped) Write(data []byte) (int, error) { return g.body.Write(data) }

// FlushError sends what was written up to now.
func (g gzipped) FlushError() error {
	return errors.Join(g.body.Flush(), http.NewResponseController(g.ResponseWriter).Flush())
}
