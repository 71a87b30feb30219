package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
)

type FileReadIn struct {
	Act
	Path   string `json:"path" req:"true" help:"relative to the environment"`
	Offset int    `json:"offset,omitempty" help:"the first line"`
	Limit  int    `json:"limit,omitempty" help:"how many lines"`
}

type FileReadOut struct {
	Environment string `json:"environment"`
	jail.Excerpt
	Out
}

var fileRead = op("file_read", reads|repeats, FileRead, Help{Summary: "read lines of a file in an environment"})

// FileRead returns lines of a file, and notes that the session has seen this version of it.
func FileRead(ctx context.Context, env *Env, in FileReadIn) (*FileReadOut, error) {
	out := &FileReadOut{}
	where, err := use(ctx, env, in.Act, "file_read", in, out, func(a *act.Call) error {
		text, err := a.Root.Read(ctx, a.At(in.Path), in.Offset, in.Limit)
		if err != nil {
			return err
		}
		out.Excerpt, a.Result = *text, text
		env.CallLog.Show(a.Session, a.Place.ID, text.Path, string(text.Version))
		return nil
	})
	out.Environment = where
	return out, err
}

type FileListIn struct {
	Act
	Path  string `json:"path,omitempty" help:"a folder; default: the root"`
	Depth int    `json:"depth,omitempty" help:"levels of folders; default 1"`
}

type FileListOut struct {
	Environment string `json:"environment"`
	jail.Listing
	Out
}

var fileList = op("file_list", reads|repeats, FileList, Help{Summary: "list a folder of an environment"})

// FileList returns the files and folders of a folder.
func FileList(ctx context.Context, env *Env, in FileListIn) (*FileListOut, error) {
	out := &FileListOut{}
	where, err := use(ctx, env, in.Act, "file_list", in, out, func(a *act.Call) error {
		all, err := a.Root.List(ctx, a.At(in.Path), in.Depth)
		if err != nil {
			return err
		}
		out.Listing, a.Result = *all, all
		return nil
	})
	out.Environment = where
	return out, err
}

type FileSearchIn struct {
	Act
	Pattern string `json:"pattern" req:"true"`
	Path    string `json:"path,omitempty" help:"a folder or file; default: the root"`
	Regexp  bool   `json:"regexp,omitempty" help:"pattern is a regular expression (RE2)"`
	Limit   int    `json:"limit,omitempty" help:"lines; default 100"`
}

type FileSearchOut struct {
	Environment string `json:"environment"`
	jail.Found
	Out
}

var fileSearch = op("file_search", reads|repeats, FileSearch, Help{Summary: "search the text files of an environment"})

// FileSearch returns the lines of text files that match a pattern.
func FileSearch(ctx context.Context, env *Env, in FileSearchIn) (*FileSearchOut, error) {
	out := &FileSearchOut{}
	where, err := use(ctx, env, in.Act, "file_search", in, out, func(a *act.Call) error {
		q := jail.Query{Pattern: in.Pattern, Path: a.At(in.Path), Regexp: in.Regexp, Limit: in.Limit}
		found, err := a.Root.Search(ctx, q)
		if err != nil {
			return err
		}
		out.Found, a.Result = *found, found
		return nil
	})
	out.Environment = where
	return out, err
}

type FileWriteIn struct {
	Act
	Path    string `json:"path" req:"true"`
	Content string `json:"content" req:"true" empty:"ok"`
	IfMatch string `json:"ifMatch,omitempty" help:"the version that was read"`
}

// FileChanged is the result of operations that change a file.
type FileChanged struct {
	Environment string `json:"environment"`
	Path        string `json:"path"`
	Version     string `json:"version,omitempty"`
	Undo        string `json:"undo"` // arbor env undo takes it back
	Out
}

var fileWrite = op("file_write", writes, FileWrite, Help{Summary: "write a file of an environment"})

// FileWrite writes the whole content of a file.
func FileWrite(ctx context.Context, env *Env, in FileWriteIn) (*FileChanged, error) {
	return changeFile(ctx, env, in.Act, "file_write", in, in.IfMatch, func(a *act.Call) (*jail.Change, error) {
		return a.Root.PlanWrite(a.At(in.Path), in.Content)
	})
}

// changeFile makes the change to a file that planned returns, if the file is at the version ifMatch; "" is any version.
func changeFile(
	ctx context.Context, env *Env, to Act, tool string, in any, ifMatch string,
	planned func(*act.Call) (*jail.Change, error),
) (*FileChanged, error) {
	out := &FileChanged{}
	where, err := use(ctx, env, to, tool, in, out, func(a *act.Call) error {
		c, err := planned(a)
		if err != nil {
			return err
		}
		out.Path, out.Version = c.Path, string(c.Now())
		out.Undo, err = a.Change(ctx, c, ifMatch)
		out.Hint = a.Unlogged
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Environment = where
	return out, nil
}

type FileEditIn struct {
	Act
	Path    string `json:"path" req:"true"`
	Old     string `json:"old" req:"true" help:"the text to replace; it must occur once"`
	New     string `json:"new" req:"true" empty:"ok"`
	IfMatch string `json:"ifMatch,omitempty"`
}

var fileEdit = op("file_edit", writes, FileEdit, Help{Summary: "replace one place of a file in an environment"})

// FileEdit replaces one place of a text file.
func FileEdit(ctx context.Context, env *Env, in FileEditIn) (*FileChanged, error) {
	return changeFile(ctx, env, in.Act, "file_edit", in, in.IfMatch, func(a *act.Call) (*jail.Change, error) {
		return a.Root.PlanEdit(a.At(in.Path), in.Old, in.New)
	})
}

type FileDeleteIn struct {
	Act
	Path    string `json:"path" req:"true"`
	IfMatch string `json:"ifMatch,omitempty"`
}

var fileDelete = op("file_delete", writes, FileDelete, Help{Summary: "delete a file of an environment; it stays in the trash"})

// FileDelete moves a file to the trash.
func FileDelete(ctx context.Context, env *Env, in FileDeleteIn) (*FileChanged, error) {
	return changeFile(ctx, env, in.Act, "file_delete", in, in.IfMatch, func(a *act.Call) (*jail.Change, error) {
		return a.Root.PlanDelete(a.At(in.Path))
	})
}
