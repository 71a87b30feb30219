//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// search returns the best place of each token that is anywhere.
func (w *world) search(t *tally) map[string]place {
	found := map[string]place{}
	note := func(p place, data []byte) {
		for _, token := range tokenForm.FindAll(data, -1) {
			if was, ok := found[string(token)]; !ok || p < was {
				found[string(token)] = p
			}
		}
	}
	err := filepath.WalkDir(w.vault, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		rel, _ := filepath.Rel(w.vault, file)
		switch p := placeOf(filepath.ToSlash(rel)); p {
		case record:
			t.recordBytes += len(data)
			texts := recorded(data)
			if len(data) > 0 && len(texts) == 0 && !strings.HasSuffix(rel, "/judged") {
				w.Errorf("nothing can be read in the record %s", rel)
			}
			for _, text := range texts {
				note(record, text)
			}
		case nowhere:
		default:
			note(p, data)
		}
		return err
	})
	if err != nil {
		w.Error(err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".git")); err == nil {
		out, err := w.git(w.dir, "cat-file", "--batch", "--batch-all-objects", "--unordered")
		if err != nil {
			w.Errorf("git cat-file: %v", err)
		}
		note(object, out)
	} else if !errors.Is(err, fs.ErrNotExist) {
		w.Error(err)
	}
	return found
}

// placeOf returns what a file of the vault is.
func placeOf(rel string) place {
	name := rel[strings.LastIndex(rel, "/")+1:]
	for p, dir := range map[place]string{replaced: "replaced", displaced: "displaced", trash: "trash", record: "record"} {
		if rest, ok := strings.CutPrefix(rel, ".local/"+dir); ok && (rest == "" || rest[0] == '/') {
			return p
		}
	}
	switch {
	case strings.HasPrefix(rel, ".local/"):
		return nowhere // notes that may be deleted at any time
	case strings.Contains(name, ".conflict-"):
		return copied
	case name == "Node.md" || name == "Workspace.md":
		return live
	}
	return beside
}

// recorded returns the texts before and after the operations of a record. An entry is two lines: one that tells what it
// is, and one with the steps.
func recorded(data []byte) (texts [][]byte) {
	for line := range bytes.Lines(data) {
		var entry struct{ Steps []struct{ Base, New []byte } }
		if json.Unmarshal(line, &entry) != nil {
			continue
		}
		for _, step := range entry.Steps {
			texts = append(texts, step.Base, step.New)
		}
	}
	return texts
}

// The judge of the tortures finds a text in every place that counts, and in no other.
func TestJudgeFindsTextsInEveryPlace(t *testing.T) {
	needGit(t)
	w := newWorld(t, setting{}, 0)
	p := w.repository()
	entry, err := json.Marshal(map[string]any{"time": 1, "steps": []map[string]any{
		{"path": "x", "base": []byte("before tk901;"), "new": []byte("after tk902;")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]place{"tk901;": record, "tk902;": record}
	for i, c := range []struct {
		file string
		is   place
	}{
		{w.file("node-a"), live},
		{strings.Replace(w.file("node-a"), "Node.md", "Node.conflict-1a2b3c4d.md", 1), copied},
		{w.file("node-a") + "~", beside},
		{filepath.Join(w.vault, ".local/trash/20260101-node-x/nodes/node-x/Node.md"), trash},
		{filepath.Join(w.vault, ".local/replaced/20260101-node-x.md"), replaced},
		{filepath.Join(w.vault, ".local/displaced/saved-1"), displaced},
		{filepath.Join(w.vault, ".local/recorder"), nowhere},
		{filepath.Join(w.vault, ".local/journal/commit.json"), nowhere},
	} {
		token := fmt.Sprintf("tk%d;", 910+i)
		if want[token] = c.is; c.is == nowhere {
			delete(want, token)
		}
		if err := os.MkdirAll(filepath.Dir(c.file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.file, []byte("a text "+token+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(w.vault, ".local", "record")
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "0")
	}
	if err := os.WriteFile(file, append([]byte("a head\n"), append(entry, '\n')...), 0o600); err != nil {
		t.Fatal(err)
	}
	p.edit(w.file("node-b"))
	want[w.saves[len(w.saves)-1].token] = object
	p.must(w.dir, "stash", "-q", "--", w.file("node-b"))
	p.must(w.dir, "stash", "drop", "-q")
	found := w.search(newTally())
	for token, is := range want {
		if got, ok := found[token]; !ok || got != is {
			t.Errorf("%s is %v (%v), want %s", token, got, ok, placeNames[is])
		}
	}
	for token, is := range found {
		if len(token) == len("tk900;") && want[token] != is {
			t.Errorf("%s is %s, want it nowhere", token, placeNames[is])
		}
	}
}
