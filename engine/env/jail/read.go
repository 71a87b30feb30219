package jail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"
)

// The limits for reading and showing.
const (
	maxFile   = 10 << 20 // bytes of a file
	maxReply  = 64 << 10 // bytes of text in a reply
	maxLine   = 2000     // bytes of a line
	looksInto = 8 << 10  // bytes that decide whether a file is text
)

// A Version identifies the content of a file; "" means no file.
type Version string

// versionOf returns the version of a content.
func versionOf(data []byte) Version {
	sum := sha256.Sum256(data)
	return Version(hex.EncodeToString(sum[:8]))
}

// An Excerpt is a part of a file.
type Excerpt struct {
	Path    string  `json:"path"`
	Version Version `json:"version"`
	First   int     `json:"first"` // the number of the first line that is shown; they count from 1
	Lines   int     `json:"lines"` // of the whole file
	Text    string  `json:"text"`  // lines with their numbers; "" for a binary file
	Binary  bool    `json:"binary,omitempty"`
	Bytes   int     `json:"bytes,omitempty"` // of a binary file
	Cut     string  `json:"more,omitempty"`  // a text that says how much is left out
}

// Exists reports whether calls see a file or folder at a path; "" is the root.
func (r *Root) Exists(p string) bool {
	rel, err := clean(cmp.Or(p, "."))
	if err != nil {
		return false
	}
	dir, _, _, err := r.find(rel)
	if err != nil {
		return false
	}
	dir.Close()
	return true
}

// Read returns the lines of a file from offset on, which counts from 1, at most limit of them; 0 is the first line, and
// as many as fit.
func (r *Root) Read(_ context.Context, p string, offset, limit int) (*Excerpt, error) {
	if offset < 0 || limit < 0 {
		return nil, refuse(InvalidParams, "offset and limit are numbers of lines, and not negative")
	}
	rel, err := clean(p)
	if err != nil {
		return nil, err
	}
	data, _, err := r.read(rel, maxFile)
	if err != nil {
		return nil, err
	}
	t := &Excerpt{Path: rel, Version: versionOf(data), First: max(1, offset)}
	if binary(data) {
		t.Binary, t.Bytes, t.First = true, len(data), 0
		return t, nil
	}
	var b strings.Builder
	shown, long := 0, 0
	for line := range bytes.Lines(data) {
		t.Lines++
		if t.Lines < t.First || limit > 0 && shown == limit || b.Len() > maxReply {
			continue
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxLine {
			line, long = line[:maxLine], long+1
		}
		number(&b, t.Lines, line)
		shown++
	}
	t.Text = b.String()
	switch last := t.First + shown - 1; {
	case t.First > max(1, t.Lines):
		return nil, refuse(InvalidParams, "%q has %d lines; offset %d is behind them", rel, t.Lines, offset)
	case last < t.Lines:
		t.Cut = "more lines follow; offset " + decimal(last+1) + " goes on"
	}
	if long > 0 {
		t.Cut = strings.TrimPrefix(t.Cut+"; "+decimal(long)+" lines are cut at 2000 bytes", "; ")
	}
	return t, nil
}

// Content returns a file's bytes. A file with more than most bytes is an error.
func (r *Root) Content(p string, most int64) ([]byte, error) {
	rel, err := clean(p)
	if err != nil {
		return nil, err
	}
	data, _, err := r.read(rel, most)
	return data, err
}

// Digest returns the SHA-256 of a file's bytes as hexadecimal digits.
func (r *Root) Digest(p string) (string, error) {
	rel, err := clean(p)
	if err != nil {
		return "", err
	}
	f, _, err := r.open(rel)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", failed(rel, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// number writes a line with its number.
func number(b *strings.Builder, n int, line []byte) {
	b.WriteString(decimal(n))
	b.WriteByte('\t')
	b.WriteString(strings.ToValidUTF8(string(line), "\uFFFD"))
	b.WriteByte('\n')
}

// IsText reports whether a content can be shown as lines.
func IsText(data []byte) bool { return !binary(data) }

// binary reports whether data is not text.
func binary(data []byte) bool {
	head := data[:min(len(data), looksInto)]
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	for len(head) > 0 { // the end may be a part of a character
		if c, n := utf8.DecodeRune(head); c != utf8.RuneError || n != 1 {
			head = head[n:]
		} else {
			return len(head) >= utf8.UTFMax || len(data) <= looksInto
		}
	}
	return false
}
