package crashtest

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// The power fails at each step of a file being kept: then there is the old file or the new one, and once Keep has
// returned the new one. A revoked token does not come back. Without the syncs that must not be so.
func TestWhatIsKeptSurvivesAPowerFailure(t *testing.T) {
	const file, old, now = mdstore.Path(".local/people.json"), "ann has a token", "ann has none"
	rng := rand.New(rand.NewPCG(1, 2))
	for name, before := range map[string]map[mdstore.Path][]byte{
		"replaced":        {file: []byte(old)},
		"new":             {".local/.gitignore": []byte("*\n")},
		"in a new folder": {"ws/a": []byte("a")},
	} {
		was := ""
		if before[file] != nil {
			was = old
		}
		states := 0
		crashed := func(c *Model, also string) {
			c.Crashes(rng, 1000, func(d *Model) {
				states++
				if got := d.Files()[file]; got != now && got != also {
					t.Errorf("%s: %q is left after %q", name, got, d.Log)
				}
			})
		}
		c := newModel(before)
		c.AtStep = func() { crashed(c, was) }
		if before[".local/.gitignore"] == nil && before[file] == nil {
			_ = c.Mkdir(mdstore.LocalDir)
		}
		if err := osfs.Keep(c, file, ".local/.arbor-temp", []byte(now)); err != nil {
			t.Fatal(err)
		}
		crashed(c, now)
		if states < 10 {
			t.Errorf("%s: only %d states were seen", name, states)
		}
	}
	c := newModel(map[mdstore.Path][]byte{file: []byte(old)})
	_ = c.Create(".local/temp", []byte(now), "")
	_ = c.Rename(".local/temp", file)
	bad := 0
	c.Crashes(rng, 1000, func(d *Model) {
		if d.Files()[file] != now {
			bad++
		}
	})
	if bad == 0 {
		t.Error("without any sync nothing bad was found; the model does not look where it should")
	}
}

// A disk that refuses a step leaves the old file, or the new one, and no other one.
func TestWhatCannotBeKeptLeavesNothingBehind(t *testing.T) {
	const file = mdstore.Path(".local/people.json")
	for n := 0; ; n++ {
		c, calls := newModel(map[mdstore.Path][]byte{file: []byte("old")}), 0
		c.Fail = func(string) error {
			if calls++; calls-1 == n {
				return errFull
			}
			return nil
		}
		err := osfs.Keep(c, file, ".local/.arbor-temp", []byte("new"))
		if calls <= n {
			break // there is no such step
		}
		got := c.Files()
		if err == nil || got[file] != "old" && got[file] != "new" || len(got) != 2 {
			t.Errorf("step %d fails: error %v, and there is %q", n, err, got)
		}
	}
}

var errFull = syscall.ENOSPC
