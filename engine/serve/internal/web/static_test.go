package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Replies are compressed for browsers that accept that. Static files have a hash in their address and are kept for
// ever; the stream of events is not compressed.
func TestRepliesAreCompressedAndStaticFilesAreKept(t *testing.T) {
	w := newWorld(t, nil)
	w.plan()
	ask := func(path, accepts string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", accepts)
		res, err := w.guest.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		if path == "/events" {
			return res, ""
		}
		body := io.Reader(res.Body)
		if res.Header.Get("Content-Encoding") == "gzip" {
			if body, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(data)
	}
	_, said := ask("/plan", "")
	paths := []string{"/plan", "/node/nothing"}
	for _, m := range regexp.MustCompile(`"(/static/[0-9a-f]{12}/[^"]+)"`).FindAllStringSubmatch(said, -1) {
		paths = append(paths, m[1])
		res, _ := ask(m[1], "")
		if kept := res.Header.Get("Cache-Control"); !strings.Contains(kept, "max-age=31536000, immutable") {
			t.Errorf("%s: Cache-Control: %s", m[1], kept)
		}
		if res, _ := ask(strings.Replace(m[1], staticHash(), "0123456789ab", 1), ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s with another hash: %d", m[1], res.StatusCode)
		}
	}
	if len(paths) < 4 {
		t.Errorf("the page names no static files with a hash: %s", said)
	}
	for _, path := range paths {
		_, plain := ask(path, "identity, gzip;q=0")
		res, small := ask(path, "deflate, gzip;q=1.0")
		if res.Header.Get("Content-Encoding") != "gzip" || small != plain || plain == "" {
			t.Errorf("%s: %v, %d bytes, %d without gzip", path, res.Header, len(small), len(plain))
		}
	}
	if res, _ := ask("/events", "gzip"); res.Header.Get("Content-Encoding") != "" {
		t.Errorf("the stream is compressed: %v", res.Header)
	}
}
