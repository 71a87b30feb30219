package mdoc

import "strings"

// A Scanner reads the front matter of many documents, one after the other, without making a Doc of each: nearly all of
// them are of lines that need no YAML parser, and whoever opens a vault asks for nothing else. The zero Scanner is ready.
// It is not safe for concurrent use.
type Scanner struct {
	fields []Field
	text   strings.Builder // the front matter of several documents, one behind the other: the fields' strings are parts of it
}

// scanChunk is how much front matter shares one piece of memory.
const scanChunk = 32 << 10

// Scan returns the fields that Parse would return. ok is false where Parse has anything to report, and where the front
// matter is not all of lines of one unmistakable form; Parse tells then. Nothing of src is kept. The slice is good until the
// next call. The strings stay good, but share their memory with those of other documents: clone what is kept for long.
func (s *Scanner) Scan(src []byte) (fields []Field, ok bool) {
	if len(src) > MaxBytes || !sound(src) {
		return nil, false
	}
	p := split(src)
	if !p.found || p.front.Len() > MaxFrontMatterBytes || checkBody(src[p.body:]) != nil {
		return nil, false
	}
	at := s.text.Len()
	if s.text.Cap()-at < p.front.Len() {
		at = 0
		s.text.Reset()
		s.text.Grow(max(scanChunk, p.front.Len()))
	}
	s.text.Write(src[p.front.Start:p.front.End])
	s.fields, ok = appendPlain(s.fields[:0], s.text.String()[at:], p.front.Start, lineNumber(src, p.front.Start))
	if !ok {
		return nil, false
	}
	return s.fields, true
}

// sound reports whether damage finds nothing in src.
func sound(src []byte) bool {
	if at, _ := badText(src); at >= 0 || loneCR(src) >= 0 {
		return false
	}
	at, _ := unfinished(src)
	return at < 0
}
