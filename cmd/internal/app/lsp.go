package app

import (
	"bufio"
	"context"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"sync"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/lsp"
	"arbor/engine"
	"arbor/engine/errs"
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
			pages := pages{}
			defer pages.stop()
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
				Page: pages.of,
			})
		},
	}
}

// pages are servers of pages that an editor has started. They end with it.
type pages struct {
	mu  sync.Mutex
	all []*exec.Cmd
}

// of returns the address of the page of a vault, with an invitation. It starts the server if none runs.
func (p *pages) of(ctx context.Context, e *engine.Engine) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := clients{engine: e}
	if page := c.running(ctx); page != "" {
		return page, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, "--vault", e.Vault(), "serve", "--quiet")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	p.all = append(p.all, cmd)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it prints its address when it is ready
		return "", errs.New(errs.InternalError, "the page does not start; run arbor serve --open to see why")
	}
	if page := c.running(ctx); page != "" {
		return page, nil
	}
	return "", errs.New(errs.InternalError, "the page has started and names no address; run arbor serve --open")
}

func (p *pages) stop() {
	for _, cmd := range p.all {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
}
