package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/exchange"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// importCommand is arbor import. It finds the files of the source itself: a person names any on this machine.
func importCommand(sh *shell) command {
	in := &ops.ImportIn{}
	c := command{in: in, show: showing(sh, showImported), files: "PATH"}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().Lookup("dry-run").Usage = "print the tree that would be created; write nothing"
	}
	c.instead = func(ctx context.Context) (done bool, err error) {
		if in.Source, err = sourceOf(ctx, sh, in.Path); err != nil {
			return true, err
		}
		env, err := sh.env(ctx, MustExist)
		if found, err := sh.sys.Vaults.Find(sh.place()); err == nil {
			rel, _ := filepath.Rel(found.Project, found.Vault) // "" on another drive
			in.Vault = filepath.ToSlash(rel)
			in.Source.Place = placeOf(found.Project, resolve(sh.dir(), in.Path), in.Source.Files != nil)
		}
		if err == nil && env.Operator == mdstore.OperatorHuman && in.RulesHash == "" {
			in.RulesRead = true
			sayNewRules(ctx, sh, env, in.DryRun)
		}
		return err != nil, err
	}
	return c
}

// adoptCommand is arbor adopt. A file below the nodes of the vault's workspaces is replaced by its node.
func adoptCommand(sh *shell) command {
	in := &ops.AdoptIn{}
	c := command{in: in, show: showing(sh, showImported), files: "FILE"}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().Lookup("dry-run").Usage = "print the nodes that would be created; write nothing"
	}
	c.instead = func(ctx context.Context) (done bool, err error) {
		found, _ := sh.sys.Vaults.Find(sh.place())
		for _, name := range in.Files {
			at := resolve(sh.dir(), name)
			s, err := sourceOf(ctx, sh, name)
			if err != nil {
				return true, err
			}
			if s.Files != nil {
				return true, usagef("%s is a folder; adopt takes files, and arbor import %s takes a folder", name, name)
			}
			note := exchange.Note{File: s.Name, Stray: strayAt(found.Vault, at)}
			read := s.Read
			note.Source = exchange.Source{Name: filepath.Base(filepath.Dir(at)), Place: placeOf(found.Project, at, false),
				Read: func(string) ([]byte, error) { return read("") }}
			in.Notes = append(in.Notes, note)
		}
		env, err := sh.env(ctx, MustExist)
		if err == nil && env.Operator == mdstore.OperatorHuman && in.RulesHash == "" {
			in.RulesRead = true
			sayNewRules(ctx, sh, env, in.DryRun)
		}
		return err != nil, err
	}
	return c
}

// strayAt returns the path in the vault of a file that lies among the nodes of a workspace; "" for another file.
func strayAt(vault, at string) mdstore.Path {
	rel, err := filepath.Rel(vault, at)
	p := mdstore.Path(filepath.ToSlash(rel))
	if err != nil || vault == "" || !p.Valid() || !p.Under(mdstore.NodeKind.Folder(mdstore.WorkspaceDir(p))) {
		return ""
	}
	return p
}

// placeOf returns the folder of a source, or the source that is one, relative to the project's folder; absolute if it
// lies outside of that.
func placeOf(project, at string, folder bool) string {
	if !folder {
		at = filepath.Dir(at)
	}
	rel, err := filepath.Rel(project, at)
	switch {
	case err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)):
		return "/" + strings.Trim(filepath.ToSlash(strings.TrimPrefix(at, filepath.VolumeName(at))), "/")
	case rel == ".":
		return ""
	}
	return filepath.ToSlash(rel)
}

// maxImport is how many bytes a file of a source may have.
const maxImport = 64 << 20

// sourceOf returns the file or folder at a path, or stdin for "-". Of a folder it leaves out .git and node_modules.
func sourceOf(ctx context.Context, sh *shell, name string) (s exchange.Source, err error) {
	if name == "-" {
		text, err := readStdin(ctx, sh, "the outline")
		s.Read = func(string) ([]byte, error) { return []byte(text), nil }
		return s, err
	}
	at := resolve(sh.dir(), name)
	s.Name = filepath.Base(at)
	s.Read = func(path string) ([]byte, error) {
		file := filepath.Join(at, filepath.FromSlash(path))
		data, err := guard.ReadFile(filepath.Dir(file), filepath.Base(file), maxImport)
		if err != nil {
			return nil, unreadable(filepath.Join(name, filepath.FromSlash(path)), err)
		}
		return data, nil
	}
	if info, err := os.Stat(at); err != nil {
		return s, unreadable(name, err)
	} else if !info.IsDir() {
		return s, nil
	}
	s.Files = []string{}
	return s, filepath.WalkDir(at, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return unreadable(file, err)
		case d.IsDir() && slices.Contains([]string{".git", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case d.Type().IsRegular():
			rel, err := filepath.Rel(at, file)
			s.Files = append(s.Files, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
}

// showImported prints the new nodes, and what was left out.
func showImported(sh *shell, out *ops.ImportOut) error {
	if sh.flags.json {
		return sh.wrote(out, out.Wrote, "")
	}
	var ids, tree []string
	for _, n := range out.Nodes {
		if n.Depth == 0 {
			ids = append(ids, n.NodeID)
		}
		tree = append(tree, strings.Repeat("  ", n.Depth)+render.Visible(n.Title)+"  "+string(n.Status))
	}
	err := sh.unprinted
	switch {
	case out.DryRun && len(tree) > 0:
		err = sh.onScreen(strings.Join(tree, "\n") + "\n")
	case out.DryRun:
	case sh.flags.quiet && len(ids) > 0:
		err = sh.print(strings.Join(ids, "\n"))
	default:
		err = sh.wrote(out, out.Wrote, "")
	}
	for _, x := range []struct {
		what  string
		lines []string
	}{{"left out or changed: ", out.Left},
		{"differs from the source: ", out.Differ}, {"not in the source any more: ", out.Gone}} {
		for _, line := range x.lines {
			sh.say("%s%s", x.what, line)
		}
	}
	documents := ""
	if n := len(out.Docs); n > 0 {
		documents = ", " + counted(n, "new document")
	}
	if n := out.Slots; n > 0 {
		documents += fmt.Sprintf(", %d new in the slot %s", n, out.Kind)
	}
	if n := out.Pages; n > 0 {
		documents += fmt.Sprintf(", %d new sessions and states", n)
	}
	sh.say("%s: %s%s, %d there already", out.Kind, counted(len(out.Nodes), "new node"), documents, out.There)
	sh.sayDry()
	return err
}
