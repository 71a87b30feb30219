package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A vault is a generated one on the disk.
type vault struct {
	project string    // the folder that holds the vault, a git repository where there is git
	dir     string    // the vault
	nodes   string    // the folder nodes/ of its workspace
	files   []string  // the Node.md of each node, relative to nodes
	plan    []task    // what was written
	git     string    // the program; "" where there is none
	written time.Time // when the last file was
}

const vaultName = ".tanmi-workspace"

// generate writes a vault of n nodes and its project into an empty folder. It writes the files as the format's page has them and asks nothing of Arbor, so
// that what is measured is not what made it.
func generate(project string, n int) (*vault, error) {
	v := &vault{project: project, dir: filepath.Join(project, vaultName), plan: planOf(n)}
	ws := filepath.Join(v.dir, workspaceID)
	v.nodes = filepath.Join(ws, "nodes")
	v.files = make([]string, n)
	for i := range v.plan {
		v.files[i] = filepath.Join(string(v.plan[i].id), mdstore.NodeFile)
	}
	for name, text := range map[string][]byte{
		filepath.Join(project, document):            []byte("# Sign-in\n\nWhat the form looks like.\n"),
		filepath.Join(v.dir, mdstore.IgnoreFile):    []byte(".local/\nsessions.json\n"),
		filepath.Join(ws, mdstore.WorkspaceFile):    workspacePage(),
		filepath.Join(project, "src", "login.go"):   []byte("package src\n"),
		filepath.Join(project, "src", "session.go"): []byte("package src\n"),
	} {
		if err := writeFile(name, text); err != nil {
			return nil, err
		}
	}
	const writers = 8
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += writers {
				errs[w] = writeFile(filepath.Join(v.nodes, v.files[i]), nodePage(v.plan, i))
			}
		})
	}
	wg.Wait()
	v.written = time.Now()
	return v, errors.Join(errs...)
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// commit makes a repository of the project, with everything in it committed.
func (v *vault) commit() error {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "gc.auto", "0"}, {"add", "-A"}, {"commit", "-q", "-m", "The plan"}} {
		cmd := exec.Command(git, args...)
		cmd.Dir = v.project
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=p", "GIT_AUTHOR_EMAIL=p@example.org", "GIT_COMMITTER_NAME=p", "GIT_COMMITTER_EMAIL=p@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	v.git = git
	return nil
}

// settle waits until the times of the files are old enough to prove that nobody has written to them since.
func (v *vault) settle(age time.Duration) {
	writeOut() // else who makes a file durable pays for the vault as well, for half a minute
	time.Sleep(time.Until(v.written.Add(age)))
}

// An opened is a vault with a store and an engine on it.
type opened struct {
	*engine.Engine
	st *dirstore.Store
}

func (v *vault) open(ctx context.Context) (*opened, error) {
	st, err := dirstore.Open(v.dir, dirstore.Options{})
	if err != nil {
		return nil, err
	}
	e, err := engine.Open(ctx, st, engine.Options{Vault: v.dir, Project: v.project})
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &opened{e, st}, nil
}

// read opens the vault and reads its workspace.
func (v *vault) read(ctx context.Context) (*opened, *engine.Snapshot, error) {
	o, err := v.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := o.Snapshot(ctx, workspaceID)
	if err != nil {
		return nil, nil, errors.Join(err, o.st.Close())
	}
	return o, s, nil
}

// forget removes what Arbor keeps beside the files, its index among it. Nobody may have the vault open.
func (v *vault) forget() error { return os.RemoveAll(filepath.Join(v.dir, ".local")) }

// part returns the nodes of one part by their places, nil where the plan does not have all of it.
func (v *vault) part(number int) []int {
	var all []int
	for i := range v.plan {
		if v.plan[i].part == number {
			all = append(all, i)
		}
	}
	if len(all) < len(shape) {
		return nil
	}
	return all
}
