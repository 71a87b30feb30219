package web

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
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

// modules returns the names of the modules that main.js imports. Browsers fetch them at once.
func modules() (names []string) {
	all, err := fs.Glob(files, "static/*.js")
	if err != nil {
		panic(err) // the pattern is right
	}
	for _, name := range all {
		switch name = path.Base(name); name {
		case "idiomorph.min.js", "login.js", "main.js":
		default:
			names = append(names, name)
		}
	}
	return names
}

// lean returns a script or style sheet of our own without indentation and comments, a style sheet also without the
// blanks that say nothing; other files as they are. A comment behind code has no quotes.
func lean(name string, data []byte) []byte {
	kind := path.Ext(name)
	if kind != ".js" && kind != ".css" || name == "idiomorph.min.js" {
		return data
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if i := strings.LastIndex(" "+line, " // "); kind == ".js" && i >= 0 && !strings.ContainsAny(line[i:], "\"'`") {
			line = strings.TrimSpace(line[:i])
		}
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case kind == ".js":
			b.WriteString(line + "\n")
		case !strings.HasPrefix(line, "/*"):
			rule, _, _ := strings.Cut(line, " /*")
			b.WriteString(leanRule.Replace(rule))
		}
	}
	return []byte(b.String())
}

// leanRule takes blanks out of a rule of the style sheet.
var leanRule = strings.NewReplacer(" { ", "{", " {", "{", "; }", "}", " }", "}", "; ", ";", ": ", ":", ", ", ",",
	" > ", ">")

// staticKinds are the content types of static files by the endings of their names.
var staticKinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// staticFile serves a file of the folder static.
func staticFile(w http.ResponseWriter, r *http.Request) {
	data, err := files.ReadFile("static/" + r.PathValue("name"))
	if err != nil || r.PathValue("hash") != staticHash() {
		http.NotFound(w, r)
		return
	}
	data = lean(r.PathValue("name"), data)
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
	body io.Writer
}

func (g gzipped) Write(data []byte) (int, error) { return g.body.Write(data) }
