package mdstore

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"arbor/mdstore/mdoc"
)

// Zipped is the end of the name of a file whose text is compressed with gzip.
const Zipped = ".gz"

// IsZipped reports whether the file at p holds its text compressed.
func (p Path) IsZipped() bool { return strings.HasSuffix(string(p), Zipped) }

// TextOf returns the text of a file that holds data: data itself, or data decompressed. The error says why data cannot
// be decompressed, or that its text is longer than a file of the vault may be.
func TextOf(p Path, data []byte) ([]byte, error) {
	if !p.IsZipped() {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	most := MaxSize(p)
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("its text has more than %d bytes", most)
	}
	return text, err
}

// Stored returns what the file at p holds for a text: the text itself, or its compressed form. The same text gives the
// same bytes.
func Stored(p Path, text []byte) []byte {
	if !p.IsZipped() {
		return text
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // a bytes.Buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// ParseFile reads the document of a file, as mdoc.Parse does.
func ParseFile(p Path, data []byte, form *mdoc.Form) (*mdoc.Doc, []mdoc.Diagnostic) {
	text, err := TextOf(p, data)
	if err == nil {
		return mdoc.Parse(string(p), text, form)
	}
	why := mdoc.Diagnostic{File: string(p), Code: mdoc.CodeNotUTF8, Text: "the file is no text that gzip compressed: " + err.Error() +
		"; bring back a version of it that zcat reads"}
	d, _ := mdoc.Parse(string(p), []byte("---\n---\n"), form)
	return d.Closed(why), []mdoc.Diagnostic{why}
}
