package ops_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

type question struct{ Question, Answer string }

// The passage that answers is among the first three for so many of the questions.
func TestAskAnswersTheQuestions(t *testing.T) {
	const folder = "../../testdata/ask/"
	files := map[mdstore.Path][]byte{}
	vault := os.DirFS(folder + "vault")
	err := fs.WalkDir(vault, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[mdstore.Path(p)], err = fs.ReadFile(vault, p)
		}
		return err
	})
	var questions struct{ Thirty, Ten []question }
	data, rerr := os.ReadFile(folder + "questions.json")
	if err != nil || rerr != nil || json.Unmarshal(data, &questions) != nil || len(files) < 15 {
		t.Fatal(err, rerr, len(files))
	}
	env := &ops.Env{Engine: enginetest.New(t, files).Engine}
	for _, c := range []struct {
		all         []question
		size, least int
	}{{questions.Thirty, 30, 25}, {questions.Ten, 10, 8}} {
		if len(c.all) != c.size {
			t.Fatalf("%d questions, want %d", len(c.all), c.size)
		}
		answered := 0
		for _, q := range c.all {
			out, err := ops.Ask(tctx, env, ops.AskIn{Question: q.Question})
			if err != nil {
				t.Errorf("%s: %v", q.Question, err)
				continue
			}
			got := []string{}
			for _, p := range out.Passages {
				id := p.ID
				if p.EntryID != "" {
					id = p.EntryID
				}
				got = append(got, id)
			}
			if at := slices.Index(got, q.Answer); at >= 0 && at < 3 {
				answered++
			} else {
				t.Logf("%s\nwant %s, got %v", q.Question, q.Answer, got)
			}
		}
		if answered < c.least {
			t.Errorf("%d of %d are answered, want %d", answered, c.size, c.least)
		}
	}
}

func TestAskRefusesWhatAsksForNothing(t *testing.T) {
	w := enginetest.New(t, plan())
	for _, args := range []map[string]any{{"question": "what is it?"}, {"question": "..."}, {"question": "zebra", "limit": -1}, {}} {
		refused(t, w, &ops.Env{Engine: w.Engine}, errs.InvalidParams, "ask", args)
	}
}
