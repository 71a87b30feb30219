// Package app puts the program together: it finds the vault, picks the store, opens the engine, and turns signals and
// panics into an end that people understand. It is the one package that knows every implementation.
package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/importtanmi"
	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/env/command"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// commandGC is the GOGC of commands, in percent: a command ends soon, so collecting garbage rarely is faster. Servers
// use the default.
const commandGC = 800

// Main runs the program with the process's arguments and streams, and returns its exit code.
func Main() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(commandGC)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "arbor: the working directory cannot be found: %v; change to another one\n", err)
		return 1
	}
	prepareConsole()
	return run(ctx, cli.System{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Version: version(debug.ReadBuildInfo()),
	})
}

// run runs the command line with all implementations. It recovers every panic.
func run(ctx context.Context, sys cli.System) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = explain(sys, p, debug.Stack())
		}
	}()
	if code, started := command.Main(sys.Args); started {
		return code
	}
	if len(sys.Args) == 6 && sys.Args[0] == driverWord {
		return mergeDriver(ctx, sys, sys.Args[1:])
	}
	v := vaults{getenv: sys.Getenv}
	sys.Vaults, sys.EditConfig = v, v.editConfig
	sys.Tanmi = readTanmi
	sys.Keep, sys.Program = v.keep, ownProgram
	sys.More = frontEnds(sys.Version.Version)
	return cli.Run(ctx, sys)
}

// explain reports a panic in one line, or as JSON if --json was given.
func explain(sys cli.System, p any, stack []byte) int {
	message := fmt.Sprintf("this is a bug in arbor: %v; the vault is whole: a change is made as one or not at all", p)
	if slices.Contains(sys.Args, "--json") {
		data, _ := json.MarshalIndent(map[string]any{"error": errs.New(errs.InternalError, "%s", message)}, "", "  ")
		fmt.Fprintf(sys.Stdout, "%s\n", data)
	} else {
		fmt.Fprintf(sys.Stderr, "arbor: %s\n", message)
	}
	if sys.Getenv("ARBOR_DEBUG") != "" {
		fmt.Fprintf(sys.Stderr, "%s", stack)
	} else {
		fmt.Fprintln(sys.Stderr, "please report it with what ARBOR_DEBUG=1 prints for the same command")
	}
	return 1
}

func readTanmi(from fs.FS, vault string, zone *time.Location) ([]plan.Import, []string, error) {
	all, warnings, err := importtanmi.Read(from, importtanmi.Options{VaultName: vault, Zone: zone})
	if err != nil {
		return nil, nil, errs.New(errs.InvalidPath, "%v", err)
	}
	return all, warnings, nil
}

// Open opens the vault that Find finds, or makes it if the mode says so.
func (v vaults) Open(ctx context.Context, p cli.Lookup, mode cli.Mode) (*cli.Vault, error) {
	found, err := v.Find(p)
	if err == nil {
		return v.open(ctx, p.Vault, found, mode)
	}
	_, gone := os.Lstat(found.Vault)
	if found.User && mode == cli.MustExist {
		mode = cli.Later
	}
	if mode == cli.MustExist || mode == cli.Lasting || errs.As(err).Code != errs.VaultNotFound || gone == nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	may := v.mayMake(found)
	switch {
	case mode == cli.Create && may != nil:
		return nil, may
	case mode == cli.Create:
		err = dirstore.Create(found.Vault)
	case mode == cli.Pretend && may == nil:
		err = dirstore.MayCreate(found.Vault)
	default:
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("the vault cannot be created: %w", err)
	}
	found.Exists = mode == cli.Create
	opened, err := v.open(ctx, p.Vault, found, mode)
	if err != nil {
		return nil, err
	}
	opened.Made = found.Exists
	return opened, nil
}

// open opens a vault. It must exist, unless the mode says otherwise. vault is the value of --vault.
func (v vaults) open(ctx context.Context, vault string, found cli.Found, mode cli.Mode) (*cli.Vault, error) {
	layers := func() []config.Layer { return v.layers(vault, found) }
	set := config.Merge(layers()...)
	eo := engine.Options{
		Vault: found.Vault, Project: found.Project, Config: layers,
		TitleFolders: config.Value[string](set, "folders") == "title", State: v.state(), Own: v.folders(),
	}
	if found.Server {
		return v.openServer(ctx, found, mode, eo)
	}
	opt, err := v.options(found.Project, set)
	if err != nil {
		return nil, err
	}
	var st interface {
		mdstore.Store
		Close() error
	}
	switch {
	case mode == cli.Later || mode == cli.Lasting:
		if v.getenv("GOGC") == "" {
			debug.SetGCPercent(100)
		}
		l := &lastingStore{folder: found.Vault, opt: opt, may: v.mayMake(found)}
		st, err = l, l.InPlace() // report at once why it cannot be opened
	case !found.Exists:
		st = emptyStore{may: v.mayMake(found)}
	default:
		st, err = dirstore.Open(found.Vault, opt)
	}
	if err != nil {
		return nil, err
	}
	e, err := engine.Open(ctx, st, eo)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &cli.Vault{Engine: e, Found: found, Close: st.Close}, nil
}

// options returns how vaults are opened. A program that a git hook runs does not wait for git, because git waits for
// it.
func (v vaults) options(project string, set *config.Settings) (dirstore.Options, error) {
	opt := dirstore.Options{ProjectRoot: project}
	all, _ := set.Below("git.wait")
	switch said := config.Value[string](set, "git.wait"); {
	case said == "ignore", said == "" && v.getenv("GIT_INDEX_FILE") != "":
		opt.GitPatience = -1
	case said != "":
		d, err := time.ParseDuration(said)
		if err != nil || d < 0 {
			return opt, errs.New(errs.InvalidParams, "%s is %q; a time such as 30s, or ignore, is expected",
				strings.TrimPrefix(all[0].From(), string(config.Environment)+" "), said)
		}
		opt.GitPatience = max(d, 1)
	}
	return opt, nil
}

// version reads what the build noted about itself.
func version(info *debug.BuildInfo, ok bool) cli.Version {
	if !ok {
		return cli.Version{Version: "(unknown)"}
	}
	v := cli.Version{Version: cmp.Or(info.Main.Version, "(devel)"), Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
