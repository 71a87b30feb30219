package render

import (
	"bytes"
	"encoding/json"

	"arbor/context/assemble"
)

// JSON returns the bundle as one line of JSON without a line end. Only those characters are escaped that JSON asks for.
func JSON(b *assemble.Bundle) ([]byte, error) { return encode(b, "") }

// IndentedJSON returns the bundle as JSON for people, indented by two spaces.
// It is larger than the bundle's Tokens say, which count JSON.
func IndentedJSON(b *assemble.Bundle) ([]byte, error) { return encode(b, "  ") }

func encode(b *assemble.Bundle, indent string) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(b); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
