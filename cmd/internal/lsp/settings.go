package lsp

import (
	"encoding/json"
	"strings"

	"arbor/engine/check"
)

// settings are what the client configures.
type settings struct {
	Diagnostics map[string]string `json:"diagnostics"` // a severity or "off", by code; "*" is every other code
	NoHints     bool              `json:"noInlayHints"`
	NoLens      bool              `json:"noCodeLens"`
}

// severities are the words for severities, and their numbers in the protocol.
var severities = map[string]int{"error": 1, "warning": 2, "information": 3, "note": 3, "hint": 4, "off": 0}

// read takes over settings, which may be in a member arbor. What is no such object changes nothing.
func (set *settings) read(raw json.RawMessage) {
	var outer struct {
		Arbor json.RawMessage `json:"arbor"`
	}
	if json.Unmarshal(raw, &outer) == nil && len(outer.Arbor) > 0 {
		raw = outer.Arbor
	}
	var next settings
	if len(raw) > 0 && json.Unmarshal(raw, &next) == nil {
		*set = next
	}
}

// severity returns the severity of a code, 0 if it is switched off.
func (set *settings) severity(code string) int {
	for _, name := range []string{code, "*"} {
		if n, ok := severities[strings.ToLower(set.Diagnostics[name])]; ok && set.Diagnostics[name] != "" {
			return n
		}
	}
	for _, c := range check.CheckCodes() {
		if c.Code == code {
			return severities[string(c.Severity)]
		}
	}
	return severities["warning"]
}
