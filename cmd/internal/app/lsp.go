package app

import (
	"context"
	"flag"
	"log/slog"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/lsp"
	"arbor/engine"
)

// lspCommand serves an editor. It opens the vault of each folder and file that the editor has open, not only the one of
// the working directory.
func lspCommand(version string) cli.Command {
	var verbose bool
	return cli.Command{
		Use: "lsp", Short: "Serve an editor over stdin and stdout (LSP)", Protocol: true,
		Long: `Serves one editor over stdin and stdout, in the Language Server Protocol, for
the Markdown files of the vaults that its folders and files belong to: findings
while you type, completion of nodes and fields, and what assistants commit to a
file that you are editing. It says nothing about other files. The editor starts
it; docs/vscode.md and docs/neovim.md say how.`,
		Example: `arbor lsp
arbor lsp --verbose`,
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&verbose, "verbose", false, "log to stderr what goes on")
		},
		Run: func(ctx context.Context, call cli.Call) error {
			v, open := vaults{getenv: call.Getenv}, map[string]*cli.Vault{}
			defer func() {
				for _, o := range open {
					_ = o.Close()
				}
			}()
			level := slog.LevelError
			if verbose {
				level = slog.LevelDebug
			}
			return lsp.Serve(ctx, call.Stdin, call.Stdout, lsp.Options{
				Version: version, Home: v.home(),
				Log: slog.New(slog.NewTextHandler(call.Stderr, &slog.HandlerOptions{Level: level})),
				Open: func(ctx context.Context, dir string) (*engine.Engine, error) {
					at := cli.Lookup{Dir: dir, Vault: call.Vault}
					found, err := v.Find(at)
					if err != nil {
						return nil, err
					}
					if o := open[found.Vault]; o != nil {
						return o.Engine, nil
					}
					o, err := v.Open(ctx, at, cli.Lasting)
					if err != nil {
						return nil, err
					}
					open[found.Vault] = o
					return o.Engine, nil
				},
			})
		},
	}
}
