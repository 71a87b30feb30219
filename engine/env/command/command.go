// Package command runs a program in a folder, confines it to the paths that it may reach if the system can do that,
// and ends it with every process that it started.
package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Variable is set in the environment of every program that Run starts: no person is at such a program's terminal.
const Variable = "ARBOR_TOOL"

// A Spec says what to run, and with which access.
type Spec struct {
	Dir       string        // the root of the environment, without links: working directory, and all that may be written
	Argv      []string      // the program and its arguments, as they are; no shell sees them
	Env       []string      // NAME=VALUE, besides PATH, HOME, XDG_CACHE_HOME, LANG, TMPDIR and ARBOR_TOOL
	Timeout   time.Duration // after which it is killed with all that it started
	MaxOutput int           // bytes that are kept; 0 is 64 KiB

	Home       string    // HOME of the program, which is there and survives it; "" is a folder that ends with it
	Read       []string  // files and folders that it may read besides Dir and the system's, absolute
	Protected  Protected // paths that it may not write, or not see
	Network    bool      // it may connect to anything
	Unconfined bool      // it may run unconfined if nothing can confine it
	By         string    // the way to confine it; "" is the first one that this system has
}

// A Result is what a program did.
type Result struct {
	Code     int           // its exit code; -1 where it was killed
	Output   string        // stdout and stderr together: the beginning and the end
	Cut      int           // bytes that are left out in the middle
	TimedOut bool          // it was killed at the timeout
	Took     time.Duration //
	Confined string        // by what; "" for nothing
	// paths with a protected name that were made or replaced while it ran; relative to Dir, with slashes
	Made []string
}

const maxOutput = 64 << 10

// A job describes the program to run. The processes that confine it hand the job on.
type job struct {
	Way   string // "" confines nothing
	Argv  []string
	Env   []string
	Reach reach
}

// Run runs a program to its end, or to its timeout. The error is that of a program that could not be started, or of
// ctx.
func Run(ctx context.Context, s Spec) (*Result, error) {
	if len(s.Argv) == 0 {
		return nil, errors.New("there is no program to run")
	}
	how := s.By
	if how == "" {
		how = Confinement()
	}
	if how == "" && !s.Unconfined {
		return nil, errors.New("nothing on this system confines programs, and nobody agreed that this one runs unconfined")
	}
	program, err := find(s.Dir, s.Argv[0])
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "arbor-tool-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	if s.Home != "" {
		if err := os.MkdirAll(s.Home, 0o700); err != nil {
			return nil, err
		}
		if s.Home, err = filepath.EvalSymlinks(s.Home); err != nil {
			return nil, err
		}
	}
	found, err := surveyed(ctx, s)
	if err != nil {
		return nil, err
	}
	j := job{Way: how, Argv: append([]string{program}, s.Argv[1:]...), Reach: found.reach(s, temp)}
	j.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + j.Reach.Home, "XDG_CACHE_HOME=" + filepath.Join(j.Reach.Home, ".cache"),
		"LANG=" + os.Getenv("LANG"), "TMPDIR=" + tempOf(how, temp), Variable + "=1",
	}, s.Env...)
	r, err := run(ctx, s, j)
	if err != nil {
		return nil, err
	}
	r.Made, err = found.made(ctx, s)
	return r, err
}

// run runs a job.
func run(ctx context.Context, s Spec, j job) (*Result, error) {
	limited, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	cmd, done, err := supervised(limited, j)
	if err != nil {
		return nil, err
	}
	defer done()
	cmd.Dir = s.Dir
	out := &bounded{most: s.MaxOutput}
	if out.most == 0 {
		out.most = maxOutput
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second // for the supervisor, and for processes that hold its output open
	begin := time.Now()
	err = cmd.Run()
	r := &Result{Code: -1, Took: time.Since(begin), Confined: j.Way, TimedOut: limited.Err() != nil && ctx.Err() == nil}
	r.Output, r.Cut = out.text()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case r.TimedOut:
	case ended:
		r.Code = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("%s cannot be started: %w", s.Argv[0], err)
	default:
		r.Code = 0
	}
	return r, nil
}

// find returns the program that a name means: one with a slash is a path in the root or an absolute one; any other is
// searched for in the absolute folders of PATH outside of the root.
func find(root, name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsAny(name, `/\`) {
		return filepath.Join(root, name), nil
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if rel, err := filepath.Rel(root, dir); !filepath.IsAbs(dir) || err == nil && filepath.IsLocal(rel) {
			continue
		}
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("there is no program %q in PATH; a program of the environment itself is named with its folder, as ./%s (%w)",
		name, name, fs.ErrNotExist)
}

// Missing reports whether a program did not run because it, or something that its definition reads, does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// A bounded is a writer that keeps the beginning and the end of the output.
type bounded struct {
	most int
	head []byte
	tail []byte // a ring of at most half of most
	at   int    // the index of the next byte in the ring, once the ring is full
	n    int    // bytes written
}

func (b *bounded) Write(p []byte) (int, error) {
	n, half := len(p), b.most/2
	b.n += n
	if room := half - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head, p = append(b.head, p[:k]...), p[k:]
	}
	if len(p) > half {
		p = p[len(p)-half:]
	}
	for len(p) > 0 {
		if len(b.tail) < half {
			k := min(half-len(b.tail), len(p))
			b.tail, p = append(b.tail, p[:k]...), p[k:]
			continue
		}
		k := copy(b.tail[b.at:], p)
		b.at, p = (b.at+k)%half, p[k:]
	}
	return n, nil
}

// text returns what was kept, and how many bytes were not.
func (b *bounded) text() (text string, cut int) {
	cut = b.n - len(b.head) - len(b.tail)
	text = string(b.head)
	if cut > 0 {
		text += "\n… " + strconv.Itoa(cut) + " bytes are left out …\n"
	}
	text += string(b.tail[b.at:]) + string(b.tail[:b.at])
	return strings.ToValidUTF8(text, "\uFFFD"), cut
}
