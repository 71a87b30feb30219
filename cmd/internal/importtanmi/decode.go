package importtanmi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/mdstore/pattern"
)

const bom = "\uFEFF"

// The files' fields. encoding/json finds them in any case of letters; null leaves them empty.
type (
	configFile struct {
		ID, Name, DirName, Status, CreatedAt, UpdatedAt, RootNodeID string
	}
	graphFile struct {
		Version, CurrentFocus string
		Nodes, Memos          map[string]json.RawMessage
	}
	nodeEntry struct {
		ID, DirName, Type, Status, Role, ParentID, Conclusion, CreatedAt, UpdatedAt string

		Isolate              bool
		Children, References []string
		AcceptanceCriteria   []criterion
	}
	memoEntry struct{ DirName, Title, Summary string } // a memo has more members; an attachment keeps them
	criterion struct{ When, Then string }
)

var errNoObject = errors.New("it is no JSON object")

// oddEscape finds NUL and escapes that may not be a character, which encoding/json replaces.
var oddEscape = pattern.Of(`(?i)\\u(d[89a-f]|0000)`)

// decode reads a JSON object into a struct. The error says what of it was not understood: damage, after which nothing
// is set, or else fields that the struct does not have or has as another type, twice the same key, and text after the
// object.
func decode(data []byte, into any) error {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom)))
	switch {
	case len(data) == 0 || data[0] != '{':
		return errNoObject
	case !utf8.Valid(data):
		return errors.New("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == io.ErrUnexpectedEOF:
		return errors.New("it ends too early")
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s is no %s, but a %s", mismatch.Field, mismatch.Type, mismatch.Value)
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	switch rest := len(data) - int(dec.InputOffset()); {
	case rest > 0:
		return fmt.Errorf("%d bytes stand after its end", rest)
	case oddEscape().Match(data):
		return errors.New("it holds escapes of what is no character")
	case !distinctKeys(json.NewDecoder(bytes.NewReader(data))):
		return errors.New("it has a key twice")
	}
	return nil
}

// distinctKeys reports whether each object in the next value of dec, which is valid, has each of its keys once.
func distinctKeys(dec *json.Decoder) bool {
	t, err := dec.Token()
	open, ok := t.(json.Delim)
	if !ok {
		return err == nil
	}
	keys := map[string]bool{}
	for dec.More() {
		if open == '{' {
			t, _ := dec.Token()
			key := strings.ToLower(fmt.Sprint(t))
			if keys[key] {
				return false
			}
			keys[key] = true
		}
		if !distinctKeys(dec) {
			return false
		}
	}
	_, err = dec.Token()
	return err == nil
}

// millis returns a time of a file in Unix milliseconds, 0 for none. If the text is no time, the file is attached.
func (w *workspace) millis(file, s string) int64 {
	t, err := time.Parse(time.RFC3339, s)
	if s != "" && (err != nil || t.UnixMilli() < 0) {
		w.src.keep(file, "%s is no time", s)
	}
	return max(t.UnixMilli(), 0) // the zero time is long before 1970
}
