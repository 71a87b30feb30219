// Package merge makes one file of two that were made of a third: by what the table of kinds knows of the file, and by
// lines where nothing is known.
package merge

import (
	"bytes"
	"errors"

	"arbor/mdstore"
)

// A Result is one file made of three.
type Result struct {
	Bytes     []byte     // the file; with conflicts, it has their marks
	Conflicts []Conflict // in the order of the file; none: the merge is clean
	Notes     []string   // a line for each text that gave way to another and that the file's log has now
}

// A Conflict is what both sides changed differently.
type Conflict struct {
	What               string // the key of a field or the name of a section, as "parentId" or "Conclusion"; "" for text outside of sections
	Base, Ours, Theirs string // as the files have it; Base is "" where it is not known
}

// Options are how conflicts are marked.
type Options struct {
	Ours, Theirs string // the names of the sides, behind the marks; "" for none
	Size         int    // the length of a mark; 0 stands for 7
}

// ErrText says that a file has no structure that Merge knows, or is damaged: git's own merge of lines is to be taken.
var ErrText = errors.New("the file can only be merged as lines")

// Merge makes one file of ours and theirs, which were both made of base, at p. base is nil where both sides made the
// file. The formatting of ours stays. The error is ErrText, or wraps it.
func Merge(p mdstore.Path, base, ours, theirs []byte, opt Options) (Result, error) {
	switch {
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return Result{Bytes: ours}, nil
	case bytes.Equal(base, ours):
		return Result{Bytes: theirs}, nil
	}
	return Result{}, ErrText
}

// Marked reports whether a text has a conflict's marks: lines that begin with seven or more of "<", then of ">".
func Marked(data []byte) bool {
	begun := false
	for line := range bytes.Lines(data) {
		begun = begun || bytes.HasPrefix(line, []byte("<<<<<<< "))
		if begun && bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return true
		}
	}
	return false
}
