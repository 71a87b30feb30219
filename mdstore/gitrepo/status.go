package gitrepo

import (
	"context"
	"strconv"
	"strings"
)

// A Status is what git status says about the folder and the branch that is checked out.
type Status struct {
	Changed  int    `json:"changed,omitempty"`  // files that differ from the last commit; a new folder counts as one
	Unmerged int    `json:"unmerged,omitempty"` // files with an unresolved conflict
	Branch   string `json:"branch,omitempty"`   // "" if the head is detached
	Commit   string `json:"-"`                  // of the head; "" before the first
	Upstream string `json:"upstream,omitempty"` // "" for none
	Ahead    int    `json:"ahead,omitempty"`    // commits that the upstream lacks
	Behind   int    `json:"behind,omitempty"`   // commits of the upstream that are missing here
}

// StatusOf returns the state of a folder, by one git status. It runs no other git commands, because each takes longer
// than reading a small plan.
func StatusOf(ctx context.Context, folder string) (s Status, err error) {
	r, err := at(folder)
	if err != nil {
		return s, err
	}
	if r.overrides, _, err = r.configOverrides(ctx); err != nil {
		return s, err
	}
	out, err := r.Run(ctx, nil, "status", "--porcelain=v2", "--branch", "--untracked-files=normal",
		"--ignore-submodules=dirty", "-z", "--", ".")
	if err != nil {
		return s, err
	}
	entries := strings.Split(string(out), "\x00")
	for i := 0; i < len(entries); i++ {
		kind, rest, _ := strings.Cut(entries[i], " ")
		switch kind {
		case "1", "?":
			s.Changed++
		case "2":
			s.Changed++
			i++ // the path that it had
		case "u":
			s.Unmerged++
		case "#":
			s.head(strings.Fields(rest))
		}
	}
	return s, nil
}

// head reads a line about the branch.
func (s *Status) head(words []string) {
	switch {
	case len(words) == 2 && words[0] == "branch.head" && words[1] != "(detached)":
		s.Branch = words[1]
	case len(words) == 2 && words[0] == "branch.oid" && words[1] != "(initial)":
		s.Commit = words[1]
	case len(words) == 2 && words[0] == "branch.upstream":
		s.Upstream = words[1]
	case len(words) == 3 && words[0] == "branch.ab":
		s.Ahead, _ = strconv.Atoi(strings.TrimPrefix(words[1], "+"))
		s.Behind, _ = strconv.Atoi(strings.TrimPrefix(words[2], "-"))
	}
}
