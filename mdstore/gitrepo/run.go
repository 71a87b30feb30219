// Package gitrepo runs git for the folder of a vault. No other package runs git.
//
// Every command is an argument vector, without a shell. Of the repository's own configuration nothing that names a
// command is obeyed: hooks, filters, drivers, pagers, editors, helpers (config.go). Git never asks on a terminal. Names
// of revisions are resolved by Rev before they reach another command.
package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/mdstore"
)

// A Repo is the repository whose working tree holds a folder. Its methods may be called by several goroutines at once.
type Repo struct {
	Top    string // the top of the working tree, without links
	Dir    string // where git keeps its state; for a linked working tree, its own state
	Common string // where git keeps what all working trees share
	Prefix string // the folder relative to Top, with slashes and one at its end; "" if the folder is Top
	Driver string // the command line of Arbor's merge driver, as git runs it here; "" if none is installed

	overrides []setting // against commands that the repository's own configuration names
	packers   bool      // it names programs at a remote's end, which no option overrides but those of fetch and push
	proxy     bool      // it names a program that connects; of several values git uses the first, not the last
}

// ErrNone says that a folder is in no repository of git, or that there is no git.
var ErrNone = errors.New("not in a git repository")

// An Error is a command of git that failed.
type Error struct {
	Args   []string // without the overrides
	Code   int      // its exit code; -1 where it did not start or was killed
	Stderr string   // its own words, trimmed
}

func (e *Error) Error() string {
	words := strings.Join(strings.Fields(e.Stderr), " ")
	if words == "" {
		words = fmt.Sprintf("it ended with code %d", e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Args[0], words)
}

// Open returns the repository of a folder. The error wraps ErrNone if there is no repository or no program git.
func Open(ctx context.Context, folder string) (*Repo, error) {
	r, err := at(folder)
	if err != nil {
		return nil, err
	}
	out, err := r.Run(ctx, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir", "--show-prefix")
	if err != nil {
		if _, ok := errors.AsType[*Error](err); ok && ctx.Err() == nil {
			return nil, fmt.Errorf("%w: %w", ErrNone, err)
		}
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 4 {
		return nil, fmt.Errorf("%w: git rev-parse says %q", ErrNone, out)
	}
	*r = Repo{Top: lines[0], Dir: lines[1], Common: lines[2], Prefix: lines[3]}
	if r.overrides, r.Driver, err = r.configOverrides(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// at returns a Repo that can only run git in a folder.
func at(folder string) (*Repo, error) {
	real, err := filepath.EvalSymlinks(folder)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, err
	}
	if !below(real) {
		return nil, fmt.Errorf("%w", ErrNone)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("%w: the program git is not installed", ErrNone)
	}
	return &Repo{Top: real}, nil
}

// below reports whether a folder or one above it looks like a repository. If none does, git need not be asked.
func below(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// Run runs git in the top of the working tree, and returns what it prints. The error is an *Error where git failed.
// Text by other people must not be in args, except after "--" or made by Rev.
func (r *Repo) Run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return r.RunEnv(ctx, nil, stdin, args...)
}

// RunEnv is Run with further variables of the environment, as NAME=VALUE.
func (r *Repo) RunEnv(ctx context.Context, env []string, stdin []byte, args ...string) ([]byte, error) {
	cmd := r.command(ctx, env, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		failed := &Error{Args: args, Code: -1, Stderr: strings.TrimSpace(stderr.String())}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			failed.Code = exit.ExitCode()
		} else {
			failed.Stderr = err.Error()
		}
		return out, failed
	}
	return out, nil
}

// always are options of every command.
var always = []string{
	"--no-pager", "--literal-pathspecs",
	"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "core.editor=false",
	"-c", "diff.external=", "-c", "protocol.ext.allow=never", "-c", "safe.bareRepository=explicit", "-c", "gc.auto=0",
	"-c", "color.ui=false", "-c", "log.showSignature=false", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
}

func (r *Repo) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(always, args)...)
	cmd.Dir = r.Top
	cmd.WaitDelay = time.Second // what git has started may hold its output open when git is killed
	cmd.Env = handOver(slices.Concat(environ(), env), r.overrides)
	if r.proxy && os.Getenv("GIT_PROXY_COMMAND") == "" {
		cmd.Env = append(cmd.Env, "GIT_PROXY_COMMAND=")
	}
	if r.packers && args[0] != "fetch" && args[0] != "push" {
		cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=none") // a partial clone must not fetch what is missing
	}
	return cmd
}

// environ returns the environment of the process without variables that would lead git to another repository, change
// its output, or make it ask questions. Variables about connections to remotes, and settings for git, stay.
func environ() []string {
	count, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT"))
	own := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_TRACE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH",
			"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
			"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_SSL_CAINFO", "GIT_ALLOW_PROTOCOL", "GIT_PROXY_COMMAND":
			return false
		}
		if strings.HasPrefix(name, "GIT_CONFIG_") && count > 0 && name != "GIT_CONFIG_PARAMETERS" {
			return false // GIT_CONFIG_COUNT, and a key and a value for each
		}
		return strings.HasPrefix(name, "GIT_") || name == "LC_ALL" || name == "LANGUAGE"
	})
	return append(own, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"LC_ALL=C")
}

// InRepo returns the path of a file of the folder as git names it.
func (r *Repo) InRepo(p mdstore.Path) string { return r.Prefix + string(p) }

// InFolder returns the path, relative to the folder, of a file that git names; ok is false for a file outside of the
// folder.
func (r *Repo) InFolder(name string) (p mdstore.Path, ok bool) {
	rest, ok := strings.CutPrefix(name, r.Prefix)
	return mdstore.Path(rest), ok
}
