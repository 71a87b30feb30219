package plan_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
)

const byHand = `---
id: ws-a
name: A # mine
goal: g
status: active
mood: 'calm'
---
Words above all.

## Purpose

<!-- why --> Find work.

## Workflows

As we do it:

### Apply
when: a post fits

1. read <!-- twice -->

#### Tips

be short


### Rest

## Key Files
* cv.md: the CV
* [Letter](letter.md) (expired)

a word between

* notes.md

### More of a person

- not.md: one of them

## Mine

stays

## Log

- [2026-01-01 10:00:00] [AI] made
`

// Each part that is given reads back, every other byte of the file stays, and doing it again changes nothing.
func TestBriefingIsWrittenAndNothingElse(t *testing.T) {
	all := t
	rapid.Check(t, func(t *rapid.T) {
		file := byHand
		if rapid.Bool().Draw(t, "crlf") {
			file = strings.ReplaceAll(file, "\n", "\r\n")
		}
		files, path := enginetest.Plan("ws-a"), mdstore.WorkspacePath("ws-a")
		files[path] = []byte(file)
		w := enginetest.New(all, files)
		was := mdstore.ParseWorkspace(mdstore.File{Path: path, Data: files[path]})
		text := rapid.SampledFrom([]string{"", "one line", "two\n\nparts\n\n- a\n- b"})
		maybe := func(name string) *string {
			if !rapid.Bool().Draw(t, name+" is given") {
				return nil
			}
			s := text.Draw(t, name)
			return &s
		}
		flow := rapid.SampledFrom(append(was.Briefing().Workflows, mdstore.Workflow{Name: "New", When: "now", Steps: "- do"}))
		ref := rapid.SampledFrom(append(was.Briefing().KeyFiles, mdstore.Ref{Target: "a b.md", Description: "x: y"}, mdstore.Ref{Target: "z"}))
		x := plan.Briefing{Purpose: maybe("purpose"), CurrentGoal: maybe("goal"), Preferences: maybe("preferences")}
		if rapid.Bool().Draw(t, "workflows are given") {
			x.Workflows = append([]mdstore.Workflow{}, rapid.SliceOfN(flow, 0, 4).Draw(t, "workflows")...)
		}
		if rapid.Bool().Draw(t, "key files are given") {
			x.KeyFiles = append([]mdstore.Ref{}, rapid.SliceOfNDistinct(ref, 0, 4, func(r mdstore.Ref) string { return r.Target }).Draw(t, "files")...)
		}
		for round := range 2 {
			_, out, err := engine.Apply(t.Context(), w.Engine, "ws-a", plan.Act{}, x)
			if err != nil {
				t.Fatal(err)
			}
			if round == 1 && out.Changed() {
				t.Fatalf("again, it changes\n%s", out.Diff())
			}
		}
		data := w.Store.Files()[path]
		now := mdstore.ParseWorkspace(mdstore.File{Path: path, Data: data})
		got, want := now.Briefing(), was.Briefing()
		for _, f := range []struct{ to, given *string }{{&want.Purpose, x.Purpose}, {&want.CurrentGoal, x.CurrentGoal}, {&want.Preferences, x.Preferences}} {
			if f.given != nil {
				*f.to = *f.given
			}
		}
		if x.Workflows != nil {
			want.Workflows = x.Workflows
		}
		if x.KeyFiles != nil {
			want.KeyFiles = x.KeyFiles
		}
		line := func(r mdstore.Ref) string { return r.Target + "|" + r.Description }
		sameRef := func(a, b mdstore.Ref) bool { return line(a) == line(b) }
		if got.Purpose != want.Purpose || got.CurrentGoal != want.CurrentGoal || got.Preferences != want.Preferences ||
			!slices.EqualFunc(got.Workflows, want.Workflows, func(a, b mdstore.Workflow) bool { return a.String() == b.String() }) ||
			!slices.EqualFunc(got.KeyFiles, want.KeyFiles, sameRef) {
			t.Fatalf("reads back as %+v\nwant %+v\n%s", got, want, data)
		}
		for _, kept := range []string{"name: A # mine\n", "mood: 'calm'\n", "Words above all.\n", "As we do it:\n", "a word between\n",
			"### More of a person\n\n- not.md: one of them\n", "## Mine\n\nstays\n"} {
			if !bytes.Contains(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte(kept)) {
				t.Fatalf("%q is gone from\n%s", kept, data)
			}
		}
		for _, f := range x.Workflows {
			if f.Name == "Apply" && !bytes.Contains(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("### Apply\nwhen: a post fits\n\n1. read <!-- twice -->\n\n#### Tips\n")) {
				t.Fatalf("an equal workflow has other bytes in\n%s", data)
			}
		}
		if bytes.Count(data, []byte("\r\n")) != bytes.Count(data, []byte("\n")) && strings.Contains(file, "\r\n") {
			t.Fatalf("line ends are mixed in\n%q", data)
		}
	})
}

// A new workspace has its briefing from the first commit on, and needs no goal then.
func TestNewWorkspaceWithABriefing(t *testing.T) {
	w := enginetest.New(t, nil)
	purpose, agent := "Find work", "scout"
	made, err := w.Engine.Init(t.Context(), plan.NewWorkspace{Name: "Job Search", Briefing: plan.Briefing{Purpose: &purpose, Agent: &agent,
		Workflows: []mdstore.Workflow{{Name: "Apply", Steps: "1. a"}}, KeyFiles: []mdstore.Ref{{Target: "cv.md", Description: "the CV"}}}}, plan.Act{})
	if err != nil {
		t.Fatal(err)
	}
	path := mdstore.WorkspacePath(made.Dir)
	got := mdstore.ParseWorkspace(mdstore.File{Path: path, Data: w.Store.Files()[path]})
	if b := got.Briefing(); b.Purpose != purpose || len(b.Workflows) != 1 || len(b.KeyFiles) != 1 || got.Agent != "scout" || len(got.Problems) > 0 {
		t.Errorf("%+v %+v\n%s", got, b, w.Store.Files()[path])
	}
}
