package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A checkout is a project in a working tree, with a vault. The files of the vault are on disk too, for the columns.
type checkout struct {
	dir   string // the working tree
	vault string
	files map[mdstore.Path][]byte
}

func newCheckout(t *testing.T, vault string, files map[string]string) *checkout {
	t.Helper()
	c := &checkout{dir: t.TempDir(), files: map[mdstore.Path][]byte{}}
	c.vault = filepath.Join(c.dir, filepath.FromSlash(vault))
	if err := os.Mkdir(filepath.Join(c.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		c.files[mdstore.Path(name)] = []byte(text)
		enginetest.Put(t, c.vault, mdstore.Path(name), []byte(text))
	}
	return c
}

func (c *checkout) Find(Lookup) (Found, error) {
	return Found{Vault: c.vault, Project: filepath.Dir(c.vault), Exists: true, Why: "a test"}, nil
}

func (c *checkout) Open(ctx context.Context, p Lookup, _ Mode) (*Vault, error) {
	e, err := engine.Open(ctx, memstore.New(c.files), engine.Options{})
	found, _ := c.Find(p)
	return &Vault{Engine: e, Found: found}, err
}

// sarif runs check --sarif and returns the parsed JSON.
func (c *checkout) sarif(t *testing.T) (doc map[string]any, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), &System{Args: []string{"check", "--sarif"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: c.dir, Vaults: c,
		Getenv: func(string) string { return "" }, Version: Version{Version: "v1.2.3"}}, terminal{})
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v in\n%s%s", err, out.String(), errs.String())
	}
	return doc, code
}

const sarifWorkspace = "---\nid: ws\nname: Login\ngoal: g\nstatus: active\nrulesHash: \"\"\n---\n"

func sarifFiles() map[string]string {
	return map[string]string{
		"ws/Workspace.md":                   sarifWorkspace,
		"ws/nodes/root/Node.md":             "---\nid: root\ntitle: R\ntype: planning\nstatus: monitoring\nparentId: null\n---\n",
		"ws/nodes/登录 100% #1 & c+d/Node.md": "---\nid: node-a\ntitle: A\ntype: execution\n\"\\u0073tatus\": \"pending\"\nparentId: root\n---\n\n## References\n\n- node-mjv3xk00-0gone0: x\n- node-mjv3xk00-0gone0: x\n",
		"ws/nodes/b/Node.md":                "---\nid: node-b\n{title: é𝒳, type: execution, status: done}\n---\n",
		"ws/nodes/c/Node.md":                "---\n{id: node-c, title: é𝒳, type: execution, status: done, parentId: root}\n---\n",
	}
}

func TestSARIFIsWhatReadersExpect(t *testing.T) {
	c := newCheckout(t, "my docs/.tanmi-workspace", sarifFiles())
	doc, code := c.sarif(t)
	if code != exitUnreadable {
		t.Errorf("exit code %d", code)
	}
	results := conforms(t, doc)
	if len(results) < 4 {
		t.Fatalf("%d results", len(results))
	}
	met := map[string]bool{}
	for _, r := range results {
		loc := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		file := loc["artifactLocation"].(map[string]any)
		if file["uriBaseId"] != "%SRCROOT%" {
			t.Errorf("a file of the working tree is relative to %v", file["uriBaseId"])
		}
		u, err := url.Parse(file["uri"].(string))
		if err != nil || u.Scheme != "" || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(file["uri"].(string), " #?登") {
			t.Errorf("%v is no relative reference: %v", file["uri"], err)
			continue
		}
		if _, err := os.Stat(filepath.Join(c.dir, filepath.FromSlash(u.Path))); err != nil {
			t.Errorf("%v names no file below the root of the working tree: %v", file["uri"], err)
		}
		region := loc["region"].(map[string]any)
		if r["ruleId"] == "STATUS_INVALID" {
			met["column"] = true
			if region["startLine"] != 2.0 || region["startColumn"] != float64(len("{id: node-c, title: éXX, type: execution, status: ")) {
				t.Errorf("columns count UTF-16 units: %v", region)
			}
		}
		if r["ruleId"] == "REFERENCE_DANGLING" {
			met["twins "+r["partialFingerprints"].(map[string]any)["primaryLocationLineHash"].(string)] = true
			if text := r["message"].(map[string]any)["text"].(string); !strings.Contains(text, "node-mjv3xk00-0gone0") || !strings.HasSuffix(text, "(arbor check --fix: mark the reference expired)") {
				t.Errorf("the message is %q", text)
			}
		}
	}
	if len(met) != 3 {
		t.Errorf("met %v; a column behind wide characters and two results on lines alike were expected", met)
	}
}

// conforms checks the parts of a document against the schema of SARIF 2.1.0, and returns the results in it.
func conforms(t *testing.T, doc map[string]any) []map[string]any {
	t.Helper()
	object := func(where string, v any, required, known string) map[string]any {
		o, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%s is %T, no object", where, v)
		}
		for _, k := range strings.Fields(required) {
			if _, ok := o[k]; !ok {
				t.Errorf("%s has no %s", where, k)
			}
		}
		for k := range o {
			if !slices.Contains(strings.Fields(required+" "+known), k) {
				t.Errorf("%s has %s, which the schema does not know", where, k)
			}
		}
		return o
	}
	text := func(where string, v any) {
		m := object(where, v, "text", "markdown")
		if s, ok := m["text"].(string); !ok || s == "" {
			t.Errorf("%s has the text %v", where, m["text"])
		}
	}
	levels := []string{"none", "note", "warning", "error"}
	log := object("the log", doc, "version runs", "$schema")
	if log["version"] != "2.1.0" {
		t.Errorf("version %v", log["version"])
	}
	run := object("the run", log["runs"].([]any)[0], "tool results", "originalUriBaseIds columnKind")
	if k := run["columnKind"]; k != "utf16CodeUnits" && k != "unicodeCodePoints" {
		t.Errorf("columnKind %v", k)
	}
	for id, base := range run["originalUriBaseIds"].(map[string]any) {
		b := object(id, base, "", "uri description")
		if u, ok := b["uri"].(string); ok && !strings.HasSuffix(u, "/") {
			t.Errorf("the base %s is %q, without a slash at its end", id, u)
		}
	}
	driver := object("the driver", object("the tool", run["tool"], "driver", "")["driver"], "name", "version rules informationUri")
	if driver["name"] != "arbor" || driver["version"] != "v1.2.3" {
		t.Errorf("the tool is %v %v", driver["name"], driver["version"])
	}
	var ids []string
	for _, r := range driver["rules"].([]any) {
		rule := object("a rule", r, "id", "shortDescription fullDescription help defaultConfiguration")
		id := rule["id"].(string)
		if slices.Contains(ids, id) {
			t.Errorf("two rules are called %s", id)
		}
		ids = append(ids, id)
		text(id, rule["shortDescription"])
		text(id, rule["fullDescription"])
		text(id, rule["help"])
		if l := object(id, rule["defaultConfiguration"], "level", "")["level"]; !slices.Contains(levels, l.(string)) {
			t.Errorf("%s has level %v", id, l)
		}
	}
	var results []map[string]any
	met := map[string]bool{}
	for _, v := range run["results"].([]any) {
		r := object("a result", v, "message", "ruleId ruleIndex level locations partialFingerprints")
		results = append(results, r)
		text("a message", r["message"])
		if i, ok := r["ruleIndex"].(float64); !ok || i < 0 || int(i) >= len(ids) || ids[int(i)] != r["ruleId"] {
			t.Errorf("rule %v has index %v", r["ruleId"], r["ruleIndex"])
		}
		if !slices.Contains(levels, r["level"].(string)) {
			t.Errorf("level %v", r["level"])
		}
		for _, l := range r["locations"].([]any) {
			p := object("a place", object("a location", l, "physicalLocation", "")["physicalLocation"], "artifactLocation", "region")
			object("a file", p["artifactLocation"], "uri", "uriBaseId")
			region := object("a region", p["region"], "startLine", "startColumn")
			for k, n := range region {
				if f, ok := n.(float64); !ok || f < 1 || f != float64(int(f)) {
					t.Errorf("%s is %v", k, n)
				}
			}
		}
		for k, f := range r["partialFingerprints"].(map[string]any) {
			s, ok := f.(string)
			if !ok || met[k+s] {
				t.Errorf("the fingerprint %s is %v, which another result has", k, f)
			}
			met[k+s] = true
		}
	}
	return results
}

// TestSARIFFingerprintsStay checks that fingerprints stay the same if lines above the results are added and removed.
func TestSARIFFingerprintsStay(t *testing.T) {
	prints := func(files map[string]string) (all []string) {
		doc, _ := newCheckout(t, "vault", files).sarif(t)
		for _, r := range conforms(t, doc) {
			all = append(all, r["ruleId"].(string)+" "+r["partialFingerprints"].(map[string]any)["primaryLocationLineHash"].(string))
		}
		slices.Sort(all)
		return all
	}
	before, shifted, changed := sarifFiles(), sarifFiles(), sarifFiles()
	for name, text := range shifted {
		if head, rest, ok := strings.Cut(text, "parentId: root\n---\n"); ok {
			shifted[name] = head + "parentId: root\nown: key\n---\n\nA line above.\n" + rest
		}
		changed[name] = strings.Replace(text, "- node-mjv3xk00-0gone0: x\n", "- node-mjv3xk00-0lost0: x\n", 1)
	}
	if a, b := prints(before), prints(shifted); !slices.Equal(a, b) {
		t.Errorf("before\n\t%s\nwith lines above\n\t%s", strings.Join(a, "\n\t"), strings.Join(b, "\n\t"))
	}
	if a, b := prints(before), prints(changed); slices.Equal(a, b) {
		t.Error("another line has the same fingerprint")
	}
}

// Without problems, the document is complete, and the exit code is 0.
func TestSARIFOfNothing(t *testing.T) {
	files := sarifFiles()
	for name := range files {
		if strings.Contains(name, "/nodes/") && !strings.Contains(name, "/root/") {
			delete(files, name)
		}
	}
	doc, code := newCheckout(t, "vault", files).sarif(t)
	if r := conforms(t, doc); len(r) != 0 || code != exitOK {
		t.Errorf("%d results, exit code %d", len(r), code)
	}
}

// Files are URIs by RFC 3986, whatever characters their names have.
func TestSARIFNamesFiles(t *testing.T) {
	s := sources{root: "/r", vault: "/r"}
	for in, want := range map[string]string{
		"a b/ä.md": "a%20b/%C3%A4.md", "c:d/e:f": "./c:d/e:f", "50%/#?[]": "50%25/%23%3F%5B%5D", "..a/b": "..a/b",
		"../a b:c": "file:///a%20b:c",
	} {
		if got := s.artifact(in)["uri"]; got != want {
			t.Errorf("the file %q is named %q, want %q", in, got, want)
		}
	}
}
