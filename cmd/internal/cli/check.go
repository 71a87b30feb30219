package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/check"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/guard"
	"arbor/mdstore/mdoc"
)

func checkCommand(sh *shell) command {
	in, sarif := &ops.WorkspaceCheckIn{}, false
	c := command{in: in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&sarif, "sarif", false, "print a SARIF 2.1.0 document")
	}
	c.check = func(*cobra.Command) error {
		if sarif && (in.Fix || sh.flags.json) {
			return usagef("--sarif is a report of its own: give neither --fix nor --json with it")
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.WorkspaceCheckOut) error {
		var err error
		switch {
		case sh.flags.json:
			err = sh.json(out)
		case sarif:
			err = sh.json(newSARIF(sh, ofFiles(out.Diagnostics)))
			sh.say("%s", summary(in, out))
		default:
			err = showCheck(sh, in, out)
		}
		if err == nil && len(ofFiles(out.Diagnostics)) > 0 {
			err = errFound
		}
		return err
	})
	return c
}

// ofFiles returns the diagnostics of files, without those about this clone of the repository.
func ofFiles(ds []mdoc.Diagnostic) []mdoc.Diagnostic {
	return slices.DeleteFunc(slices.Clone(ds), func(d mdoc.Diagnostic) bool {
		return d.Code == check.CodeMergeDriver || d.Code == check.CodeTakenOut
	})
}

func showCheck(sh *shell, in *ops.WorkspaceCheckIn, out *ops.WorkspaceCheckOut) error {
	if out.DryRun || !sh.flags.quiet {
		sh.onScreen(sh.diff(out.Diff))
	}
	done := "fixed"
	if out.DryRun {
		done = "would fix"
	}
	for _, d := range out.Fixed {
		sh.say("%s %s (%s)", done, located(sh, d).String(), d.Fix)
	}
	if !sh.flags.quiet {
		var all []string
		for _, d := range out.Diagnostics {
			all = append(all, diagnosticLine(sh, d))
		}
		sh.bounded(all, "diagnostics")
	}
	sh.found = out.Diagnostics
	sh.say("%s", summary(in, out))
	return sh.unprinted
}

// summary returns a line with the number of diagnostics and what to do about them.
func summary(in *ops.WorkspaceCheckIn, out *ops.WorkspaceCheckOut) string {
	fixable := 0
	for _, d := range out.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	s := counted(len(out.Diagnostics), "diagnostic") + " in " + counted(out.Checked, "file")
	switch {
	case in.Fix && len(out.Diagnostics) > 0 && !out.DryRun:
		s += "; these need a repair by hand"
	case fixable > 0 && !in.Fix:
		s += fmt.Sprintf("; arbor check --fix repairs %d of them", fixable)
	}
	return s
}

// located returns a diagnostic with its file as seen from where the command runs. If a whole line or file is
// meant, the numbers are 1: programs that read such lines want all of them.
func located(sh *shell, d mdoc.Diagnostic) mdoc.Diagnostic {
	d.File = sh.shown(sh.absolute(d.File))
	d.Line, d.Col = max(1, d.Line), max(1, d.Col)
	return d
}

// diagnosticLine returns a diagnostic as one line, file:line:col: code: text, and what repairs it.
func diagnosticLine(sh *shell, d mdoc.Diagnostic) string {
	repair := "by hand"
	if d.Fix != "" {
		repair = "--fix: " + render.Visible(d.Fix)
	}
	return render.Visible(located(sh, d).String()) + sh.style().Paint("2", " ("+repair+")")
}

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifBase   = "%SRCROOT%" // the name that code review knows the root of the repository by
)

// An object is one of a SARIF 2.1.0 document, with the names of the schema at sarifSchema.
type object = map[string]any

// newSARIF returns diagnostics as a SARIF document. Files are named relative to the root of the repository, so that a
// review finds them in any checkout.
func newSARIF(sh *shell, ds []mdoc.Diagnostic) object {
	var rules []object
	codes := check.CheckCodes()
	for _, c := range codes {
		help := "By hand: " + c.Person + "."
		if c.Fix != "" {
			help += " With arbor check --fix: " + c.Fix + "."
		}
		rules = append(rules, object{
			"id": c.Code, "shortDescription": markdown(c.What), "fullDescription": markdown(c.What),
			"help": markdown(help), "defaultConfiguration": object{"level": c.Severity},
		})
	}
	files := sources{root: sourceRoot(sh), vault: sh.vault.Found.Vault, met: map[string]int{}}
	results := []object{}
	for _, d := range ds {
		level := check.SeverityWarning
		rule := slices.IndexFunc(codes, func(c check.CheckCode) bool { return c.Code == d.Code })
		if rule >= 0 {
			level = codes[rule].Severity
		}
		text := d.Text
		if d.Fix != "" {
			text += " (arbor check --fix: " + d.Fix + ")"
		}
		place := object{"artifactLocation": files.artifact(d.File), "region": files.region(d)}
		results = append(results, object{
			"ruleId": d.Code, "ruleIndex": rule, "level": level, "message": object{"text": text},
			"locations":           []object{{"physicalLocation": place}},
			"partialFingerprints": object{"primaryLocationLineHash": files.fingerprint(d)},
		})
	}
	driver := object{"name": "arbor", "version": sh.sys.Version.Version, "rules": rules}
	const root = "the root of the repository, or the project's folder where it is in none"
	return object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{{
		"tool": object{"driver": driver}, "columnKind": "utf16CodeUnits", "results": results,
		"originalUriBaseIds": object{sarifBase: object{"description": object{"text": root}}},
	}}}
}

// markdown returns a text in the form of SARIF: plain, and as Markdown.
func markdown(s string) object {
	return object{"text": strings.ReplaceAll(s, "`", ""), "markdown": s}
}

// sourceRoot returns the root of the working tree that contains the vault, or the project's folder if there is none.
func sourceRoot(sh *shell) string {
	if sh.vault.Found.Server {
		return sh.vault.Found.Project
	}
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
	met         map[string]int // fingerprints, and how often they were given
}

// artifact names a file: relative to the root if it is below that, or else by a file URI.
func (s *sources) artifact(file string) object {
	full := filepath.Join(s.vault, filepath.FromSlash(file))
	if rel, err := filepath.Rel(s.root, full); err == nil && filepath.IsLocal(rel) {
		return object{"uri": (&url.URL{Path: filepath.ToSlash(rel)}).String(), "uriBaseId": sarifBase}
	}
	full = "/" + strings.TrimPrefix(filepath.ToSlash(full), "/") // it may begin with a drive
	return object{"uri": (&url.URL{Scheme: "file", Path: full}).String()}
}

// line returns the line that a diagnostic points to, without its end; "" if the file cannot be read.
func (s *sources) line(d mdoc.Diagnostic) []byte {
	text, _ := guard.ReadFile(s.vault, filepath.FromSlash(d.File), mdstore.MaxFileSize) // what cannot be read has no lines
	for n := 1; n < d.Line && len(text) > 0; n++ {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// region returns the place of a diagnostic in its file, with the column in UTF-16 units. If the diagnostic is about the
// whole file, it is the beginning: reviews show nothing without a line.
func (s *sources) region(d mdoc.Diagnostic) object {
	before := s.line(d)
	before = before[:min(len(before), max(0, d.Col-1))]
	units := utf16.Encode([]rune(string(before)))
	return object{"startLine": max(1, d.Line), "startColumn": len(units) + 1}
}

// fingerprint identifies a diagnostic even if lines above it come and go: by its code, its file, the text of its line,
// and its number among those that are alike.
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
