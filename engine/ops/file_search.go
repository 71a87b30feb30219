package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

// FileSearchIn is what is looked for in files.
type FileSearchIn struct {
	Act
	Pattern string `json:"pattern" req:"true"`
	Path    string `json:"path,omitempty" help:"a folder or file; the root unless given"`
	Regexp  bool   `json:"regexp,omitempty" help:"the pattern is a regular expression (RE2)"`
	Limit   int    `json:"limit,omitempty" help:"lines; 100 unless given"`
}

// FileSearchOut has the lines that were found.
type FileSearchOut struct {
	Environment string `json:"environment"`
	jail.Found
	Out
}

var fileSearch = op("file_search", reads|repeats, FileSearch, Help{Summary: "search the text files of an environment"})

// FileSearch returns lines of text files.
func FileSearch(ctx context.Context, env *Env, in FileSearchIn) (*FileSearchOut, error) {
	out := &FileSearchOut{}
	where, err := use(ctx, env, in.Act, "file_search", in, out, func(a *act.Call) error {
		found, err := a.Root.Search(ctx, jail.Query{Pattern: in.Pattern, Path: a.At(in.Path), Regexp: in.Regexp, Limit: in.Limit})
		if err != nil {
			return err
		}
		out.Found, a.Result = *found, found
		return nil
	})
	out.Environment = where
	return out, err
}
