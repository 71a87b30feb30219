package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"arbor/context/render"
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
	acts := func(r rune) bool { return r != '\n' && render.Unprintable(r) }
	if bytes.IndexFunc(data, acts) < 0 {
		return data
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if acts(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
