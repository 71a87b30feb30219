package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/statemachine"
)

var (
	ofTemplates = regexp.MustCompile(`\bt "([^"]+)"`)
	ofScript    = regexp.MustCompile(`\bt\("([^"]+)"\)`)
	ofSources   = regexp.MustCompile(`\b(?:l|v)\.(?:say|besides)\("([^"]+)"`)
)

// Every text of the page is translated into each language, and the script gets the texts that it uses.
func TestEveryLanguageHasEveryWord(t *testing.T) {
	var all []string
	names, err := fs.Glob(files, "pages/*.html")
	if err != nil || len(names) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ofTemplates.FindAllStringSubmatch(string(data), -1) {
			all = append(all, m[1])
		}
	}
	script := scriptText(t)
	for _, m := range ofScript.FindAllStringSubmatch(script, -1) {
		if !slices.Contains(scripted, m[1]) {
			t.Errorf("the script says %q, which is not in scripted", m[1])
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, name := range sources {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ofSources.FindAllStringSubmatch(string(data), -1) {
			all = append(all, m[1])
		}
	}
	for _, word := range scripted {
		if !strings.Contains(script, strconv.Quote(word)) {
			t.Errorf("no script says %q, which is in scripted", word)
		}
	}
	for _, item := range slices.Concat((&screen{}).Menu(), (&screen{}).Rest(), planForms) {
		all = append(all, item.Title)
	}
	for _, c := range chips {
		all = append(all, c.Title)
	}
	for _, rule := range statemachine.Rules() {
		all = append(all, string(rule.From), string(rule.To), string(rule.Type))
		if !rule.Automatic {
			all = append(all, string(rule.Do))
		}
	}
	all = append(all, "English", byBranch, byAssignee, "Wave", "Never ready", "No open work", "one item per line")
	for _, words := range slices.Concat(all, scripted) {
		for language, all := range translations() {
			if strings.TrimSpace(all[words]) == "" {
				t.Errorf("%s has no word for %q", language, words)
			}
		}
	}
}

func TestTheLanguageIsThatOfTheBrowserUntilSomebodyChooses(t *testing.T) {
	w := newWorld(t, nil)
	w.plan()
	for _, c := range []struct{ path, header, want string }{
		{"/plan", "", `lang="en"`},
		{"/plan", "de-DE,zh-CN;q=0.8,en;q=0.5", `lang="zh"`},
		{"/plan?lang=zh", "en", `lang="zh"`},
		{"/plan", "en", `lang="zh"`},
		{"/plan?lang=en", "zh", `lang="en"`},
		{"/plan?lang=fr", "zh", `lang="en"`},
		{"/plan?lang=fr", "zh;q=0.5", `lang="en"`},
	} {
		if _, said := w.get(c.path, "Accept-Language", c.header); !strings.Contains(said, `<html `+c.want) {
			t.Errorf("GET %s with %q is not in %s", c.path, c.header, c.want)
		}
	}
}
