package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// standIn is set where the test's own program stands in for Arbor's: it does nothing, and well, but for leaving a file in a folder that it is told.
const standIn = "ARBOR_BENCH_STANDS_IN"

func TestMain(m *testing.M) {
	if os.Getenv(standIn) != "" {
		if fi, err := os.Stat(os.Args[1]); err == nil && fi.IsDir() {
			if _, err := os.CreateTemp(os.Args[1], ""); err != nil {
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestGeneratedVaultIsClean(t *testing.T) {
	for _, n := range []int{leastNodes, 400} {
		v, err := generate(t.TempDir(), n)
		if err != nil {
			t.Fatal(err)
		}
		o, s, err := v.read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != n {
			t.Errorf("%d nodes were generated, and the snapshot has %d", n, s.Len())
		}
		_, found, err := o.Check(t.Context(), workspaceID)
		if err != nil {
			t.Error(err)
		}
		for _, d := range found {
			t.Errorf("%d nodes: %s:%d: %s: %s", n, d.File, d.Line, d.Code, d.Text)
		}
		if c, err := o.CheckVault(t.Context()); err != nil || len(c.Diagnostics) > 0 {
			t.Errorf("%d nodes: %v %v", n, c, err)
		}
		if err := o.st.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPlanIsAsDescribed(t *testing.T) {
	const n = 1000
	plan, size, statuses := planOf(n), 0, map[string]int{}
	deepest := 0
	for i := range plan {
		size += len(nodePage(plan, i))
		statuses[string(plan[i].kind)+" "+string(plan[i].status)]++
		depth := 0
		for at := i; at > 0; at = plan[at].parent {
			depth++
		}
		deepest = max(deepest, depth)
	}
	if mean := size / n; mean < 1400 || mean > 1800 {
		t.Errorf("a node has %d bytes on average, want about 1,600", mean)
	}
	if deepest != 7 {
		t.Errorf("the deepest node is %d levels below the root, want 7: the root is the first of eight", deepest)
	}
	if len(statuses) < 9 {
		t.Errorf("not every status occurs: %v", statuses)
	}
	for i, small := range planOf(100)[:75] {
		if small.id != plan[i].id || small.part >= 0 && small.part < 2 && small != plan[i] {
			t.Errorf("node %d of a small plan is %+v, of a large one %+v", i, small, plan[i])
		}
	}
}

// TestEveryRowIsMeasured runs all that does no harm to what else the machine does, which dropping its caches would.
func TestEveryRowIsMeasured(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(standIn, "1")
	var only []string
	for _, name := range names() {
		if name != "open-dropped" {
			only = append(only, name)
		}
	}
	var out, progress bytes.Buffer
	dir := t.TempDir()
	args := []string{"-nodes", "50", "-rounds", "3", "-budget", "1ms", "-settle", "0", "-json", "-dir", dir, "-arbor", self, "-only", "^(" + strings.Join(only, "|") + ")$"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 1 || len(got.Runs[0].Rows) < 20 {
		t.Fatalf("too few rows: %s", out.String())
	}
	for _, r := range got.Runs[0].Rows {
		switch {
		case r.Skipped != "":
			t.Logf("%s: skipped: %s", r.Name, r.Skipped)
		case r.Form != alone && r.Form != told && (r.Limit <= 0 || math.IsNaN(r.value())):
			t.Errorf("%+v has no limit", r)
		case r.Name == "torn reads" && r.Arbor != 0:
			t.Errorf("%+v", r)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		row     row
		want    string // the last cells
		reached bool
	}{
		{row{Arbor: 0.030, Unit: inSeconds, Limit: 0.020, Against: "x", Form: times, Target: 1.5}, "30 ms|20 ms, x|1.50|≤ 1.5|yes", true},
		{row{Arbor: 0.031, Unit: inSeconds, Limit: 0.020, Against: "x", Form: times, Target: 1.5}, "31 ms|20 ms, x|1.55|≤ 1.5|no", false},
		{row{Arbor: 299, Unit: perSecond, Limit: 100, Against: "x", Form: atLeast, Target: 3}, "299/s|100/s, x|2.99|≥ 3|no", false},
		{row{Arbor: 0.024, Unit: inSeconds, Limit: 0.010, Against: "x", Form: above, Target: 0.015}, "24 ms|10 ms, x|+14 ms|≤ +15 ms|yes", true},
		{row{Arbor: 20e6, Unit: inBytes, Form: alone, Target: 20e6}, "20 MB|||≤ 20 MB|yes", true},
		{row{Arbor: 0.00005, Unit: inSeconds, Form: told}, "50 µs||||", false},
		{row{Skipped: "there is no git"}, "||||skipped: there is no git", false},
	} {
		cells := c.row.cells()
		if got := strings.Join(cells[1:], "|"); got != c.want {
			t.Errorf("%+v\n got %s\nwant %s", c.row, got, c.want)
		}
		if c.row.Form != told && c.row.Skipped == "" && c.row.reached() != c.reached {
			t.Errorf("%+v is reached: %v", c.row, !c.reached)
		}
	}
}

func TestScaleIsLinearOrNot(t *testing.T) {
	few := []row{{Name: "a", Arbor: 1, Unit: inSeconds, Form: told}, {Name: "b", Arbor: 1, Unit: inSeconds, Form: told}, {Name: "c", Arbor: 900, Unit: perSecond, Form: told}, {Name: "d", Skipped: "x"},
		{Name: "e", Form: alone}, {Name: "f", Arbor: 2, Limit: 1, Unit: inSeconds, Form: times}, {Name: "g", Arbor: 2, Limit: 1, Unit: inSeconds, Form: times}}
	many := []row{{Name: "a", Arbor: 10.5, Unit: inSeconds, Form: told}, {Name: "b", Arbor: 11.5, Unit: inSeconds, Form: told}, {Name: "c", Arbor: 100, Unit: perSecond, Form: told}, {Name: "d", Arbor: 1},
		{Name: "e", Form: alone}, {Name: "f", Arbor: 24, Limit: 12, Unit: inSeconds, Form: times}, {Name: "g", Arbor: 36, Limit: 12, Unit: inSeconds, Form: times}}
	var out strings.Builder
	if err := printScale(&out, 100, 1000, few, many); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		cells := strings.Fields(line)
		got = append(got, cells[1]+" "+cells[len(cells)-2])
	}
	if want := []string{"a yes", "b no", "c yes", "e yes", "f yes", "g no"}; !slices.Equal(got[2:], want) {
		t.Errorf("got %q, want %q:\n%s", got[2:], want, out.String())
	}
}

func TestCompare(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(standIn, "1")
	dir := t.TempDir()
	file := filepath.Join(dir, "rows")
	marks := filepath.Join(dir, "marks")
	if err := os.Mkdir(marks, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "list\tone\t" + dir + "\t" + self + " list\n" +
		"list\tother\t" + dir + "\t" + self + " a{n}\t" + self + " b\n" +
		"anew\tone\t" + dir + "\tbefore: " + self + " " + marks + "\t" + self + " list\n" +
		"show\tother\t" + dir + "\t" + filepath.Join(dir, "missing") + "\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	if err := run(t.Context(), []string{"-compare", file, "-rounds", "3"}, &out, &said); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| list ") || strings.Contains(out.String(), "| show ") || strings.Count(out.String(), "×") != 1 {
		t.Errorf("got\n%s", out.String())
	}
	if !strings.Contains(said.String(), "left out") {
		t.Errorf("nothing is said of the command that fails: %s", said.String())
	}
	left, err := os.ReadDir(marks)
	if err != nil || len(left) != 5 { // a look whether it works, a round that is not counted, and three
		t.Errorf("before five runs something was done %d times, %v", len(left), err)
	}
	out.Reset()
	if err := run(t.Context(), []string{"-compare", file, "-patience", "1ns"}, &out, &said); err != nil {
		t.Fatal(err)
	}
	if more, err := os.ReadDir(marks); err != nil || len(more) != len(left)+1 || strings.Count(out.String(), ", once") != 3 {
		t.Errorf("what takes long was run %d times, %v:\n%s", len(more)-len(left), err, out.String())
	}
}

func TestEveryFormHoldsThePlan(t *testing.T) {
	for _, form := range forms() {
		dir := t.TempDir()
		var said strings.Builder
		if err := run(t.Context(), []string{"-write", form, "-dir", dir, "-nodes", "60"}, &said, &said); err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(strings.TrimSpace(said.String()), " ")
		titles, named := 0, false
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			titles += bytes.Count(text, []byte("title"))
			named = named || bytes.Contains(text, []byte(id)) || d.Name() == id
			return err
		})
		if err != nil || titles != 60 || !named || id == "" {
			t.Errorf("%s: %d of 60 titles are there, and the id %q is: %v (%v)", form, titles, id, named, err)
		}
	}
}
