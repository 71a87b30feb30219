package mdoc

import "github.com/BurntSushi/toml"

// DecodeTOML reads a small TOML file into v, a pointer. After an error v holds what could be read.
func DecodeTOML(data []byte, v any) error { return toml.Unmarshal(data, v) }

// EncodeTOML returns a struct as TOML, its fields in their order.
func EncodeTOML(v any) ([]byte, error) { return toml.Marshal(v) }
