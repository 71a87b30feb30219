package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"arbor/engine/check"
	"arbor/mdstore/mdoc"
)

// The parts of SARIF 2.1.0 that diagnostics are made of, as the schema at sarifSchema names them.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool               sarifTool                `json:"tool"`
		OriginalURIBaseIDs map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind         string                   `json:"columnKind"`
		Results            []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string      `json:"id"`
		ShortDescription     sarifText   `json:"shortDescription"`
		FullDescription      sarifText   `json:"fullDescription"`
		Help                 sarifText   `json:"help"`
		DefaultConfiguration sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI         string     `json:"uri,omitempty"`
		URIBaseID   string     `json:"uriBaseId,omitempty"`
		Description *sarifText `json:"description,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifBase   = "%SRCROOT%" // the name that code review knows the root of the repository by
)

// newSARIF returns diagnostics as a SARIF log. Files are named relative to the root of the repository, so that a review finds them in any checkout.
func (sh *shell) newSARIF(ds []mdoc.Diagnostic) *sarifLog {
	driver := sarifDriver{Name: "arbor", Version: sh.sys.Version.Version}
	index := map[string]int{}
	for i, c := range check.CheckCodes() {
		index[c.Code] = i
		help := "By hand: " + c.Person + "."
		if c.Fix != "" {
			help += " With arbor check --fix: " + c.Fix + "."
		}
		what := sarifText{Text: strings.ReplaceAll(c.What, "`", ""), Markdown: c.What}
		driver.Rules = append(driver.Rules, sarifRule{ID: c.Code, ShortDescription: what, FullDescription: what,
			Help: sarifText{Text: strings.ReplaceAll(help, "`", ""), Markdown: help}, DefaultConfiguration: sarifConfig{string(c.Severity)}})
	}
	run := sarifRun{Tool: sarifTool{driver}, ColumnKind: "utf16CodeUnits", Results: []sarifResult{},
		OriginalURIBaseIDs: map[string]sarifArtifact{sarifBase: {Description: &sarifText{Text: "the root of the repository, or the project's folder where it is in none"}}}}
	files := sources{root: sh.sourceRoot(), vault: sh.vault.Found.Vault, texts: map[string][]byte{}, met: map[string]int{}}
	for _, d := range ds {
		r := sarifResult{RuleID: d.Code, RuleIndex: -1, Level: string(check.SeverityWarning), Message: sarifText{Text: d.Text},
			Locations: []sarifLocation{{sarifPhysical{ArtifactLocation: files.artifact(d.File), Region: files.region(d)}}}}
		if i, known := index[d.Code]; known {
			r.RuleIndex, r.Level = i, driver.Rules[i].DefaultConfiguration.Level
		}
		if d.Fix != "" {
			r.Message.Text += " (arbor check --fix: " + d.Fix + ")"
		}
		r.PartialFingerprints = map[string]string{"primaryLocationLineHash": files.fingerprint(d)}
		run.Results = append(run.Results, r)
	}
	return &sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

// sourceRoot returns the root of the working tree that the vault lies in, and the project's folder where it lies in none.
func (sh *shell) sourceRoot() string {
	for dir := sh.vault.Found.Vault; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil { // a folder, or a file in a linked working tree
			return dir
		}
		if dir == filepath.Dir(dir) {
			return sh.vault.Found.Project
		}
	}
}

// sources are the files that diagnostics point into.
type sources struct {
	root, vault string
	texts       map[string][]byte // by path below the vault
	met         map[string]int    // fingerprints, and how often they were given
}

// artifact names a file: relative to the root where it lies below that, else as an address of its own.
func (s *sources) artifact(file string) sarifArtifact {
	full := filepath.Join(s.vault, filepath.FromSlash(file))
	if rel, err := filepath.Rel(s.root, full); err == nil && filepath.IsLocal(rel) {
		return sarifArtifact{URI: escapePath(filepath.ToSlash(rel)), URIBaseID: sarifBase}
	}
	full = filepath.ToSlash(full)
	if !strings.HasPrefix(full, "/") { // a drive
		full = "/" + full
	}
	return sarifArtifact{URI: "file://" + escapePath(full)}
}

// escapePath returns a path as a reference of RFC 3986 has it, whatever its names hold.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, e := range parts {
		parts[i] = url.PathEscape(e)
	}
	if strings.Contains(parts[0], ":") { // it would be read as a scheme
		parts[0] = strings.ReplaceAll(parts[0], ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// line returns the line that a diagnostic points to, without its end; "" where the file cannot be read.
func (s *sources) line(d mdoc.Diagnostic) []byte {
	text, ok := s.texts[d.File]
	if !ok {
		text, _ = os.ReadFile(filepath.Join(s.vault, filepath.FromSlash(d.File))) // what cannot be read has no lines
		s.texts[d.File] = text
	}
	for n := 1; n < d.Line && len(text) > 0; n++ {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// region returns where in its file a diagnostic is, with the column in UTF-16 units; its beginning where the whole file is meant, as reviews show
// nothing that has no line.
func (s *sources) region(d mdoc.Diagnostic) sarifRegion {
	before := s.line(d)
	before = before[:min(len(before), max(0, d.Col-1))]
	col := 1
	for len(before) > 0 {
		r, n := utf8.DecodeRune(before)
		col += utf16.RuneLen(r)
		before = before[n:]
	}
	return sarifRegion{max(1, d.Line), col}
}

// fingerprint returns what a diagnostic is known again by when lines above it come and go: its code, its file, the text of its line, and which of those alike it is.
func (s *sources) fingerprint(d mdoc.Diagnostic) string {
	text := []byte(nil)
	if d.Line > 0 {
		text = bytes.TrimSpace(s.line(d))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", d.Code, d.File, text))
	f := hex.EncodeToString(sum[:8])
	s.met[f]++
	return fmt.Sprintf("%s:%d", f, s.met[f])
}
