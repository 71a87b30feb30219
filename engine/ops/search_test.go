package ops_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// goldenCorpus are the slots of testdata/search/golden.json, as files.
type goldenCorpus struct {
	Corpus []struct {
		Slot        string `json:"slot_name"`
		Description string
		Tags        []string
		Group       string `json:"group_path"`
		Entries     []struct{ Type, Timestamp, Content string }
	}
	Queries []struct {
		Query string
		Slots []string
	}
}

func golden(t testing.TB) (g goldenCorpus, files map[mdstore.Path][]byte) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/search/golden.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil || len(g.Corpus) == 0 || len(g.Queries) == 0 {
		t.Fatalf("the corpus: %v", err)
	}
	files = plan()
	for i, s := range g.Corpus {
		var b strings.Builder
		fmt.Fprintf(&b, "---\nid: slot-%d\nname: %s\ndescription: %q\ntags: [%s]\n---\n", i, s.Slot, s.Description, strings.Join(s.Tags, ", "))
		for j, e := range s.Entries {
			fmt.Fprintf(&b, "\n## entry-%d%d-aaaaaa · %s · %sZ\n\n%s\n", i, j, e.Type, e.Timestamp, e.Content)
		}
		files[mdstore.Path(path.Join(ws, mdstore.MemoryDir, s.Group, s.Slot+".md"))] = []byte(b.String())
	}
	return g, files
}

// searched runs a query and returns the results of a page.
func searched(t testing.TB, env *ops.Env, args ...any) (out ops.SearchOut) {
	t.Helper()
	all := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		all[args[i].(string)] = args[i+1]
	}
	data, _ := json.Marshal(must(t, env, "search", all))
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func titles(out ops.SearchOut) (all []string) {
	for _, r := range out.Results {
		all = append(all, r.Title)
	}
	return all
}

// At least the slots of the corpus are found for each word, and in the order of testdata/search/ranking.json.
func TestSearchFindsTheGoldenSlots(t *testing.T) {
	g, files := golden(t)
	env := &ops.Env{Engine: enginetest.New(t, files).Engine}
	ranking := map[string][]string{}
	for _, q := range g.Queries {
		slots := []string{}
		for _, r := range searched(t, env, "query", q.Query, "in", "memory").Results {
			if !slices.Contains(slots, r.Slot) {
				slots = append(slots, r.Slot)
			}
		}
		for _, want := range q.Slots {
			if !slices.Contains(slots, want) {
				t.Errorf("%s finds %v, and not %s", q.Query, slots, want)
			}
		}
		ranking[q.Query] = slots
	}
	got, _ := json.MarshalIndent(ranking, "", "  ")
	want, err := os.ReadFile("../../testdata/search/ranking.json")
	if err != nil || strings.TrimSpace(string(want)) != string(got) {
		t.Errorf("testdata/search/ranking.json: %v; the ranking is\n%s", err, got)
	}
}

// What changed since the view was read is found as it is now, and what was deleted is not found.
func TestSearchIsNeverStale(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	node := func(title, text string) []byte {
		return enginetest.Node("node-b", "title: "+title+"\ntype: execution\nstatus: pending", text)
	}
	file := mdstore.NodePath(ws, "node-b")
	w.Store.Put(file, node("Zebra", "## Note\n\nyak\n"))
	searched(t, env, "query", "zebra")
	w.Store.Put(file, node("Okapi", "## Note\n\nlama\n"))
	for query, want := range map[string]int{"zebra": 0, "yak": 0, "title:okapi lama": 1} {
		if out := searched(t, env, "query", query); out.Total != want || len(out.Results) != want {
			t.Errorf("%s after the save: %+v, want %d", query, out.Results, want)
		}
	}
	w.Store.Put(file, nil)
	if out := searched(t, env, "query", "okapi"); out.Total != 0 {
		t.Errorf("a file that is gone: %+v", out.Results)
	}
}

// Every kind of file is searched, in its place, and the line is that of the word.
func TestSearchLooksEverywhere(t *testing.T) {
	_, files := golden(t)
	put := func(p, text string) { files[mdstore.Path(ws+"/"+p)] = []byte(text) }
	files = withSession(files, "session-one")
	put("sessions/session-one/Transcript.md", "---\nprovider: x\n---\n\n## User\n\nWhere is the quokka?\n")
	put("states/state-1.md", "---\nid: state-1\nname: Before\ntags: [quokka]\n---\n\n## Active Task\n\nFeed the quokka.\n")
	put("memory/zoo/animals.md", "---\nid: slot-zoo\nname: animals\ntags: [zoo]\n---\n\n# By hand\n\nA quokka\nsmiles.\n\n## entry-1-aaaaaa · rolled_summary · 2024-01-01T00:00:00Z\n\nquokka\n")
	put("Workspace.md", strings.Replace(string(workspaceFile("- Never feed the quokka\n")), "## Log", "## Docs\n\n- docs/quokka.md: about it\n\n## Log", 1))
	files[mdstore.NodePath(ws, "node-q")] = enginetest.Node("node-q", "title: The quokka\ntype: execution\nstatus: pending", "## Note\n\nnothing\n")
	zipped := mdstore.Path(ws + "/memory/zoo/old.md.gz")
	files[zipped] = mdstore.Stored(zipped, []byte("---\nid: slot-old\nname: old\n---\n\n## entry-2-aaaaaa · manual_save · 2024-01-01T00:00:00Z\n\nA wombat.\n"))
	files["archive/old/Workspace.md"] = []byte("---\nid: ws-old-aaaaaa\nname: quokka\nstatus: archived\n---\n")
	w := enginetest.New(t, files)
	w.Store.SetDoc("docs/quokka.md", []byte("# Animals\n\n## Small\n\nThe quokka is small.\n"))
	env := &ops.Env{Engine: w.Engine}
	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{"query", "quokka"}, "doc docs/quokka.md: Small:5 doc docs/quokka.md:1 entry animals:9 node The quokka:7 state Before: Active Task:9 state Before:6 transcript session-one/Transcript: User:7 workspace Login: Docs:18 workspace Login: Rules:14"},
		{[]any{"query", "quokka in:states"}, "state Before: Active Task:9 state Before:6"},
		{[]any{"query", "quokka", "in", "docs"}, "doc docs/quokka.md: Small:5 doc docs/quokka.md:1"},
		{[]any{"query", "quokka", "tags", []string{"ZOO", "none"}}, "entry animals:9"},
		{[]any{"query", "quokka", "excludeTags", []string{"quokka"}, "in", "states"}, ""},
		{[]any{"query", "quokka", "type", "rolled_summary"}, "entry animals:14"},
		{[]any{"query", "quokka type:rolled_summary"}, "entry animals:14"},
		{[]any{"query", "group:zoo quokka"}, "entry animals:9"},
		{[]any{"query", "database", "since", "2024-01-09", "until", "2024-01-11"}, "entry meeting_notes:14"},
		{[]any{"query", "title:quokka status:pending"}, "node The quokka:7"},
		{[]any{"query", "wombat"}, "entry old:8"},
		{[]any{"query", "node-q"}, "node The quokka:7"},
	} {
		var got []string
		for _, r := range searched(t, env, c.args...).Results {
			got = append(got, fmt.Sprintf("%s %s:%d", r.Kind, r.Title, r.Line))
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v\n got %s\nwant %s", c.args, s, c.want)
		}
	}
	if out := searched(t, env, "query", "quokka", "workspaceId", "ws-old-aaaaaa"); out.Total != 1 {
		t.Errorf("an archived workspace that is named: %+v", out)
	}
}

// Pages follow one another without a gap: together they are the results of one page.
func TestSearchPages(t *testing.T) {
	_, files := golden(t)
	env := &ops.Env{Engine: enginetest.New(t, files).Engine}
	whole := titles(searched(t, env, "query", "NOT zebra", "limit", 100))
	var pages []string
	cursor := ""
	for {
		out := searched(t, env, "query", "NOT zebra", "limit", 3, "cursor", cursor)
		pages = append(pages, titles(out)...)
		if cursor = out.Cursor; cursor == "" {
			break
		}
	}
	if len(whole) < 10 || !slices.Equal(pages, whole) {
		t.Errorf("pages\n%v\nall\n%v", pages, whole)
	}
	env.MaxBytes = 2000
	if out := searched(t, env, "query", "NOT zebra", "limit", 100); out.Cursor != fmt.Sprint(len(out.Results)) {
		t.Errorf("a bounded reply has %d results and the cursor %s", len(out.Results), out.Cursor)
	}
}

// A query of random bytes is an error that says where, or has a result.
func TestSearchOfRandomBytes(t *testing.T) {
	_, files := golden(t)
	env := &ops.Env{Engine: enginetest.New(t, files).Engine}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.IntN(256))
			if r.IntN(3) == 0 {
				b[i] = `()"-: aAND`[r.IntN(10)]
			}
		}
		_, err := ops.Search(tctx, env, ops.SearchIn{Query: string(b)})
		if err != nil && (errs.As(err).Code != errs.InvalidParams || !strings.Contains(err.Error(), "character ")) {
			t.Errorf("%q: %v", b, err)
		}
	}
}

func TestSearchRefusesWhatItCannotMean(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for _, args := range []map[string]any{{"query": "a ("}, {"query": ""}, {"query": "a", "cursor": "x"}, {"query": "a", "limit": -1},
		{"query": "a", "since": "noon"}, {"query": "a", "until": "noon"}, {"query": "a", "in": "attic"}} {
		refused(t, w, env, errs.InvalidParams, "search", args)
	}
	if took := searched(t, env, "query", "a").TookMs; took != 0 || time.Duration(took) != 0 {
		t.Errorf("it took %d ms by a clock that stands", took)
	}
}
