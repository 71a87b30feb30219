//go:build unix

package main

import (
	"fmt"
	"strings"
)

// A place is where a token is found after a round, the best one first.
type place int

const (
	live      place = iota // in a file of the plan
	copied                 // in a conflict copy
	replaced               // in .local/replaced
	displaced              // in .local/displaced
	trash                  // in .local/trash
	beside                 // in any other file of the vault, as a backup of an editor
	object                 // in an object of git
	record                 // in the record of the last operations
	nowhere
)

var placeNames = []string{
	"live", "in a conflict copy", "in replaced", "in displaced", "in the trash", "in another file",
	"in an object of git alone", "in the record alone", "nowhere",
}

// A tally counts what a torture has found.
type tally struct {
	rounds, acknowledged, saves int
	refused                     map[string]int // by code
	writesIn, savesIn           [nowhere + 1]int
	out                         int            // texts that people have taken out
	discarded                   int            // acknowledged writes that are nowhere, and that git was told to discard
	stale                       int            // saves without what was written since they were read
	rejoined                    int            // those of them that all of it was merged with
	merged, copied              int            // saves by others that replies tell of
	torn                        int            // files without their last line
	copies, unannounced         int            // conflict copies; those that check does not name
	findings                    map[string]int // of check, by code
	recordBytes                 int            // of the largest record
	told                        map[string]int // files of which check says that something was taken out
	samples                     []string       // histories of texts that are in the record alone
}

func newTally() *tally {
	return &tally{refused: map[string]int{}, findings: map[string]int{}, told: map[string]int{}}
}

func (t *tally) add(o *tally) {
	for _, p := range []struct{ to, of *int }{
		{&t.rounds, &o.rounds}, {&t.acknowledged, &o.acknowledged}, {&t.saves, &o.saves}, {&t.out, &o.out},
		{&t.discarded, &o.discarded}, {&t.stale, &o.stale}, {&t.rejoined, &o.rejoined}, {&t.merged, &o.merged},
		{&t.copied, &o.copied}, {&t.torn, &o.torn}, {&t.copies, &o.copies}, {&t.unannounced, &o.unannounced},
	} {
		*p.to += *p.of
	}
	for i := range t.writesIn {
		t.writesIn[i] += o.writesIn[i]
		t.savesIn[i] += o.savesIn[i]
	}
	for code, n := range o.refused {
		t.refused[code] += n
	}
	for code, n := range o.findings {
		t.findings[code] += n
	}
	t.recordBytes = max(t.recordBytes, o.recordBytes)
	t.samples = append(t.samples, o.samples...)
	t.samples = t.samples[:min(3, len(t.samples))]
}

func (t *tally) String() string {
	in := func(counts [nowhere + 1]int) string {
		var parts []string
		for p, n := range counts {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, placeNames[p]))
			}
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("  %d rounds; writes: %d acknowledged, refused %v; found %s\n"+
		"  saves: %d, found %s; %d of %d stale ones merged; replies tell of %d merged and %d copied\n"+
		"  taken out by people: %d; writes that git was told to discard, and that are nowhere: %d; torn files: %d\n"+
		"  conflict copies: %d, not named by check: %d; the largest record: %d bytes; findings %v%s",
		t.rounds, t.acknowledged, t.refused, in(t.writesIn), t.saves, in(t.savesIn), t.rejoined, t.stale, t.merged, t.copied,
		t.out, t.discarded, t.torn, t.copies, t.unannounced, t.recordBytes, t.findings, strings.Join(t.samples, ""))
}
