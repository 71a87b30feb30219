package web

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"arbor/mdstore"
)

// The page has a control for every field that can be set, with its value. The operation accepts the values of the
// controls.
func TestTheFormsHaveEveryField(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, _ := w.plan()
	shown := func() map[string]formField {
		_, said := w.get("/node/" + first)
		m := regexp.MustCompile(`data-fields="([^"]*)"`).FindStringSubmatch(said)
		if m == nil {
			t.Fatalf("no fields in %s", said)
		}
		var all []formField
		if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &all); err != nil {
			t.Fatal(err)
		}
		of := map[string]formField{}
		for _, f := range all {
			of[f.Name] = f
		}
		return of
	}
	controls := shown()
	for _, f := range mdstore.AllFields() {
		control, has := controls[f.Key]
		if has != f.Set {
			t.Errorf("%s can be set: %v, has a control: %v", f.Key, f.Set, has)
		}
		if len(control.Options) < 2 {
			continue // a text, not a choice
		}
		choice := control.Options[len(control.Options)-1]
		w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, f.Key: choice})
		if got := shown()[f.Key].Value; got != choice {
			t.Errorf("%s was set to %s, and is %q", f.Key, choice, got)
		}
		w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, f.Key: control.None})
		if got := shown()[f.Key].Value; got != "" {
			t.Errorf("%s was taken away, and is %q", f.Key, got)
		}
	}
}

// One form has the fields of a node and its title. Only the fields that a person edits are changed.
func TestAPersonChangesTheFieldsOfANode(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	set := func(name, value string) {
		p.click("button|Properties")
		p.until(`document.querySelector("#ask")?.open && document.querySelector('#ask [name=title]').value === "Design"`)
		p.eval(`(e => { e.value = "` + value + `"; e.dispatchEvent(new Event("input")) })(document.querySelector('#ask [name="` + name + `"]'))`)
		p.click("#ask button|OK")
		p.until(`!document.querySelector("#ask")`)
	}
	p.click("[data-rename=due]")
	p.until(`document.querySelector("#ask [name=due]")?.placeholder.includes("fri")`)
	p.write("2026-12-24")
	p.keys("Enter")
	p.sees("Due: 2026-12-24")
	set("role", "validation")
	p.sees("role validation")
	set("isolated", "true")
	p.sees("isolated")
	p.sees("role validation")
	set("role", "")
	p.until(`!document.body.innerText.includes("role validation") && document.body.innerText.includes("isolated")`)
}

// Forms name fields and their values in words, in each language.
func TestFormsUseWords(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.plan()
	p := b.open(w, "/node/root")
	for _, l := range []struct{ code, button, has string }{
		{"en", "New node below", "Assigned to"}, {"zh", "新建下级节点", "负责人"},
	} {
		p.visit("/node/root?lang=" + l.code)
		p.click("button|" + l.button)
		p.until(`document.querySelector("#ask")?.open`)
		said := p.eval(`document.querySelector("#ask-fields").textContent`).(string)
		if !strings.Contains(said, l.has) || regexp.MustCompile(`isolated|assignee|info_collection|true|dueDate`).MatchString(said) {
			t.Errorf("%s: the form says %s", l.code, said)
		}
		if l.code != "en" && regexp.MustCompile(`[a-z]{5}`).MatchString(said) {
			t.Errorf("%s: the form has English words: %s", l.code, said)
		}
	}
	for _, f := range mdstore.AllFields() {
		for _, words := range append([]string{f.Label, "yes"}, f.Rule.Enum...) {
			if f.Set && translations()["zh"][words] == "" {
				t.Errorf("no word for %s of %s", words, f.Key)
			}
		}
	}
}
