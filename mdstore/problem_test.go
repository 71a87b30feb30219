package mdstore_test

import (
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// TestProblemKeepsItsForm gives a body another problem. Where the problem is the one that it has, no byte changes.
func TestProblemKeepsItsForm(t *testing.T) {
	for _, c := range []struct{ name, before, text, next, after string }{
		{"none", "", "p", "n", "\n## Problem\n\np\n\n### Next Step\n\nn\n"},
		{"none in Chinese", "\n## 需求\n\nr\n", "p", "n", "\n## 需求\n\nr\n\n## 问题\n\np\n\n### 下一步\n\nn\n"},
		{"an empty one in Chinese", "\n## Note\n\n## 问题\n", "p", "n", "\n## Note\n\n## 问题\n\np\n\n### 下一步\n\nn\n"},
		{"the same in Chinese", "\n## 问题\n\np\n\n### 下一步\n\nn\n", "p", "n", ""},
		{"the same in Chinese below English", "\n## Problem\n\np\n\n### 下一步\n\nn\n", "p", "n", ""},
		{"the same in another form", "\n## problem\np\n  ### next step ###\nn\n\n## Own\n", "p", "n", ""},
		{"another step", "\n## Problem\np\n### next step ###\nn\n", "p", "m\n\n- 1", "\n## Problem\np\n### next step ###\nm\n\n- 1\n"},
		{"another text", "\n## Problem\np\n### 下一步\nn\n", "q", "n", "\n## Problem\nq\n\n### 下一步\nn\n"},
		{"a text that ends at a blank line", "\n## Problem\np\n### 下一步\nn\n", "<div>", "n", "\n## Problem\n<div>\n\n### 下一步\nn\n"},
		{"a first step", "\n## Problem\n\np\n\n### 下一步\n", "p", "n", "\n## Problem\n\np\n\n### 下一步\n\nn\n"},
		{"no more step", "\n## Problem\n\np\n\n### 下一步\n\nn\n", "p", "", "\n## Problem\n\np\n"},
		{"a step twice", "\n## Problem\n\np\n\n### Next Step\n\nm\n\n### 下一步\n\nn\n", "p\n\n### Next Step\n\nm", "n", ""},
		{"with carriage returns", "\r\n## 问题\r\n\r\np\r\nq\r\n\r\n### 下一步\r\n\r\nn\r\n", "p\nq", "m", "\r\n## 问题\r\n\r\np\r\nq\r\n\r\n### 下一步\r\n\r\nm\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const front = "---\nid: n\n---\n"
			d, _ := mdoc.Parse("Node.md", []byte(front+c.before), mdstore.NodeForm)
			p := mdstore.Problem{Text: c.text, NextStep: c.next}
			body, _, err := p.Body(d)
			if err != nil {
				t.Fatal(err)
			}
			patch, err := d.SetSection(mdstore.SecProblem, body)
			if err != nil {
				t.Fatal(err)
			}
			after, err := d.Apply(patch)
			if err != nil {
				t.Fatalf("%q for %q: %v", body, c.before, err)
			}
			want := c.after
			if want == "" {
				want = c.before
			}
			if got := strings.TrimPrefix(string(after.Bytes()), front); got != want {
				t.Errorf("%+v in %q\n got %q\nwant %q", p, c.before, got, want)
			}
			if got := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/n/Node.md", Data: after.Bytes()}).Problem(); got != p {
				t.Errorf("%+v in %q reads back %+v", p, c.before, got)
			}
			if again, _, err := p.Body(after); again != after.Text(mdstore.SecProblem) || err != nil {
				t.Errorf("%+v in %q a second time: %q, %v", p, after.Bytes(), again, err)
			}
		})
	}
}
