package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

// json prints a value as one indented document. Characters that would do something to a terminal are escaped; any JSON
// reader sees the text as it is.
func (sh *shell) json(v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = sh.sys.Stdout.Write(data)
	return err
}

// advice ends the JSON of what is read: what is wrong with its file, and what can be done next.
type advice struct {
	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
	ops.Out
}

func advise(ds []mdoc.Diagnostic, hint string) advice { return advice{ds, ops.Out{Hint: hint}} }

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("the result is no JSON: %w", err)
	}
	return escapeUnprintable(b.Bytes()), nil
}

// escapeUnprintable writes as \uXXXX what JSON allows to stand as it is and a terminal acts upon. Outside of strings
// JSON has no such character but line feeds.
func escapeUnprintable(data []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(data) {
		if r != '\n' && render.Unprintable(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
