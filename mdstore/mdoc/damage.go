package mdoc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// damage finds the problems that close a file to edits before any of it is parsed. It also returns the text to read:
// src, or a copy in which question marks replace NUL and invalid UTF-8, and line feeds replace lone carriage returns.
// The copy has the length of src, so that offsets hold for both.
func damage(src []byte) (readable []byte, found []Diagnostic) {
	readable = src
	if at, what := badText(src); at >= 0 {
		found = append(found, problemAt(src, at, CodeNotUTF8, what+"; save the file as UTF-8"))
		readable = replaceBadText(bytes.Clone(readable))
	}
	if at := loneCR(src, 0); at >= 0 {
		readable = bytes.Clone(readable)
		for i := at; i >= 0; i = loneCR(src, i+1) {
			readable[i] = '\n'
		}
		found = append(found, problemAt(readable, at, CodeLineEndings,
			"the line ends with a lone carriage return; save the file with LF or CRLF line ends"))
	}
	if at, what := unfinished(readable); at >= 0 {
		found = append(found, problemAt(readable, at, CodeConflictMarkers, what))
	}
	return readable, found
}

// problemAt returns the diagnostic of an offset, without the name of the file.
func problemAt(b []byte, at int, code, text string) Diagnostic {
	line, col := position(b, at)
	return Diagnostic{Line: line, Col: col, Code: code, Text: text}
}

// isUTF16 reports whether a file begins with the mark of UTF-16.
func isUTF16(src []byte) bool {
	return bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff"))
}

// badText returns the offset of the first NUL or invalid UTF-8 and its name, or -1.
func badText(src []byte) (at int, what string) {
	if isUTF16(src) {
		return 0, "the file is UTF-16"
	}
	if at := bytes.IndexByte(src, 0); at >= 0 {
		return at, "a NUL byte"
	}
	if utf8.Valid(src) {
		return -1, ""
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i, fmt.Sprintf("byte 0x%02X is not valid UTF-8 here", src[i])
		}
		i += n
	}
	return -1, ""
}

func replaceBadText(b []byte) []byte {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			b[i] = '?'
		}
		i += n
	}
	return b
}

// loneCR returns the offset of the first carriage return at or behind i that no line feed follows, or -1.
func loneCR(src []byte, i int) int {
	for ; ; i++ {
		k := bytes.IndexByte(src[i:], '\r')
		if k < 0 {
			return -1
		}
		if i += k; i+1 == len(src) || src[i+1] != '\n' {
			return i
		}
	}
}
