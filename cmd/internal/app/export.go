package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
	"arbor/engine/serve"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// exported is the file of an export that lists its other files, so that the next export removes those that it does not
// write again.
const exported = "arbor-export.txt"

func exportCommand() cli.Command {
	var language, where string
	return cli.Command{
		Use: "html DIR", Under: "export", Writes: true, Short: "Write the plan as web pages that need no server",
		Long: `Writes overview, plan, board, graph, nodes, memory and sessions of the workspace
into DIR as HTML files to view, send, or put on any web server. They contain no
script. DIR is created if needed. An earlier export in DIR is replaced; a folder
that holds anything else is refused. With --where, plan, board and graph show
only matching nodes; the pages of all nodes are written.`,
		Example: `arbor export html ../plan-for-the-team
arbor export html public --lang zh -w Website
arbor export html week --where 'assignee:nia due<+7d'`,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&language, "lang", "en",
				"the `LANGUAGE` of what the pages say themselves: "+strings.Join(serve.Languages(), " or "))
			fs.StringVar(&where, "where", "", "show only what this `QUERY` of search finds, in plan, board and graph")
		},
		Run: func(ctx context.Context, call cli.Call) error {
			if len(call.Words) != 1 {
				return errs.New(errs.InvalidParams, "export html takes the folder to write into: arbor export html DIR")
			}
			if all := serve.Languages(); !slices.Contains(all, language) {
				return errs.New(errs.InvalidParams, "--lang %s: %s are known", language, strings.Join(all, " and "))
			}
			e, set, err := call.Open(ctx, cli.MustExist)
			if err != nil {
				return err
			}
			dir := call.Words[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(call.Dir, dir)
			}
			before, err := earlier(dir)
			if err != nil {
				return err
			}
			names := []string{exported}
			p := serve.NewPage(e, serve.PageOptions{})
			err = p.Export(ctx, set.Workspace, language, where, func(name string, data []byte) error {
				if call.DryRun {
					names = append(names, name)
					return nil
				}
				if len(names) == 1 { // nothing is made for a workspace that is not there
					if err := os.MkdirAll(dir, 0o777); err != nil {
						return err
					}
				}
				names = append(names, name)
				return os.WriteFile(filepath.Join(dir, name), data, 0o666)
			})
			if err != nil {
				return err
			}
			if call.DryRun {
				slices.Sort(names)
				return call.Print(map[string]any{"dryRun": true, "folder": dir, "files": names},
					fmt.Sprintf("dry run: %d files would be written into %s\n", len(names), dir))
			}
			if err := os.WriteFile(filepath.Join(dir, exported), []byte(strings.Join(names, "\n")+"\n"), 0o666); err != nil {
				return err
			}
			for _, old := range before {
				if !slices.Contains(names, old) {
					if err := os.Remove(filepath.Join(dir, old)); err != nil && !errors.Is(err, fs.ErrNotExist) {
						return err
					}
				}
			}
			index := filepath.Join(dir, "index.html")
			return call.Print(map[string]any{"index": index, "files": len(names)}, fmt.Sprintf("%s\n", index))
		},
	}
}

// earlier returns the files of the export in a folder; none if it is missing or empty. It refuses a folder with other
// files, which an export could overwrite or remove.
func earlier(dir string) (names []string, err error) {
	refused := func(name string) error {
		return errs.New(errs.InvalidPath, "%s holds %s, which no earlier export wrote; name a folder that is new or empty",
			dir, name)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, errs.New(errs.InvalidPath, "%v; name a folder that is new or empty", err)
	}
	list, err := guard.ReadFile(dir, exported, mdstore.MaxSlot)
	if err != nil && len(entries) > 0 {
		return nil, refused(entries[0].Name())
	}
	for name := range strings.Lines(string(list)) {
		names = append(names, strings.TrimSuffix(name, "\n"))
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			return nil, refused(e.Name())
		}
	}
	for _, name := range names {
		if name != filepath.Base(name) {
			return nil, refused(exported + " with paths")
		}
	}
	return names, nil
}
