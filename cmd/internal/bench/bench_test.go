//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// The vault is sound, and a node has about 1.6 kB.
func TestGeneratedVaultHasNoFindings(t *testing.T) {
	b := &bench{ctx: t.Context()}
	for _, n := range []int{leastNodes, 400} {
		v, size := generate(t.TempDir(), n), 0
		for i := range v.plan {
			size += len(v.text(i))
		}
		if mean := size / n; mean < 1400 || mean > 1800 {
			t.Errorf("a node has %d bytes on average", mean)
		}
		o := b.open(v)
		found, err := ops.WorkspaceCheck(t.Context(), &ops.Env{Engine: o.Engine}, ops.WorkspaceCheckIn{})
		if err != nil || len(found.Diagnostics) > 0 {
			t.Errorf("%d nodes: error %v, found %+v", n, err, found)
		}
		if err := o.st.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The rows that need no program, and do no harm to what else the machine does, as dropping its caches would.
func TestRowsAreMeasured(t *testing.T) {
	var out, progress strings.Builder
	dir := t.TempDir()
	args := []string{"-nodes", "60", "-rounds", "3", "-budget", "1ms", "-settle", "0s", "-dir", dir, "-only", "context|commit|small|writers|reload"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	if rows := strings.Count(out.String(), "\n|"); rows < 18 {
		t.Errorf("%d rows:\n%s", rows, out.String())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestCellsCompareWithTheLimitAndTheTarget(t *testing.T) {
	for want, r := range map[string]row{
		"30 ms||20 ms, x|1.50|≤ 1.50|yes":     {unit: "s", arbor: 0.030, limit: 0.020, against: "x", target: 1.5},
		"31 ms|40 ms|20 ms, x|1.55|≤ 1.50|no": {unit: "s", arbor: 0.031, before: 0.040, limit: 0.020, against: "x", target: 1.5},
		"24 ms||10 ms, x|+14 ms|≤ +15 ms|yes": {unit: "s", arbor: 0.024, limit: 0.010, against: "x", more: true, target: 0.015},
		"20 MB||||≤ 20 MB|yes":                {unit: "B", arbor: 20e6, target: 20e6},
		"1||||≤ 0|no":                         {arbor: 1, exact: true},
		"50 µs|||||":                          {unit: "s", arbor: 0.00005},
		"|||||skipped: there is no git":       {skipped: "there is no git"},
		"400/s||100/s, one writer|4.00||":     {unit: "1/s", arbor: 400, limit: 100, against: "one writer"},
	} {
		if got := strings.Join(r.cells()[1:], "|"); got != want {
			t.Errorf("%+v\n got %s\nwant %s", r, got, want)
		}
	}
}
