package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/context/render"
	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/pgstore"
)

func vaultCommand() cli.Command {
	return cli.Command{
		Use: "copy FROM TO", Under: "admin vault", Writes: true, Short: "Copy a vault between a folder and a server",
		Long: `Copies every file of the vault FROM to the new vault TO, byte by byte, and reads
all of both to verify it. FROM and TO are folders or addresses of servers
(postgres://HOST/DATABASE?vault=NAME). A copy that was interrupted goes on where
it stopped. Nobody should work in TO meanwhile. What belongs to one machine stays
behind: .local with claims, trash and the record for undo, sessions.json, and what
you trust. So does the history of git.`,
		Example: `arbor admin vault copy . "postgres://ann@db.example/plans"
arbor admin vault copy "postgres://ann@db.example/plans" ../plan-in-files`,
		Run: runVaultCopy,
	}
}

// A copied is the result of admin vault copy.
type copied struct {
	From    string    `json:"from"`
	To      string    `json:"to"`
	Files   int       `json:"files"`
	Written int       `json:"written"` // files that TO did not have yet
	Left    []leftOut `json:"left,omitempty"`
	DryRun  bool      `json:"dryRun,omitempty"`
}

// A leftOut is a file that no vault can hold.
type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func runVaultCopy(ctx context.Context, call cli.Call) error {
	if len(call.Words) != 2 {
		return errs.New(errs.InvalidParams, "admin vault copy takes two vaults, folders or addresses: "+
			"arbor admin vault copy FROM TO")
	}
	v := vaults{getenv: call.Getenv}
	from, err := v.side(ctx, call, call.Words[0], cli.MustExist)
	if err != nil {
		return err
	}
	defer from.close()
	mode := cli.Create
	if call.DryRun {
		mode = cli.Pretend
	}
	to, err := v.side(ctx, call, call.Words[1], mode)
	if err != nil {
		return err
	}
	defer to.close()
	out := &copied{From: from.name, To: to.name, DryRun: call.DryRun}
	if err := copyVault(ctx, from, to, out); err != nil {
		return err
	}
	for _, l := range out.Left {
		fmt.Fprintf(call.Stderr, "left out: %s: %s\n", render.Visible(l.Path), l.Why)
	}
	text := fmt.Sprintf("%d files, %d of them written: both vaults are equal\n", out.Files, out.Written)
	if call.DryRun {
		text = fmt.Sprintf("%d files, %d of them would be written; nothing was changed\n", out.Files, out.Written)
	}
	return call.Print(out, text)
}

// A side is one of the two vaults of a copy.
type side struct {
	name  string
	st    mdstore.Store
	files func(context.Context) (map[mdstore.Path]mdstore.Version, []leftOut, error)
	close func() error
}

// side opens a vault. With Create it makes a missing one; with Pretend, a missing one is empty.
func (v vaults) side(ctx context.Context, call cli.Call, name string, mode cli.Mode) (*side, error) {
	found, err := v.named(call.Dir, name, "named on the command line")
	if e := errs.As(err); e != nil && (e.Code != errs.VaultNotFound || mode == cli.MustExist || found.Server) {
		return nil, err
	}
	none := func(context.Context) (map[mdstore.Path]mdstore.Version, []leftOut, error) { return nil, nil, nil }
	if found.Server {
		a, err := pgstore.ParseAddress(found.Address)
		if err != nil {
			return nil, errs.New(errs.InvalidParams, "%v", err)
		}
		own, err := v.ownName()
		if err != nil {
			return nil, err
		}
		st, err := pgstore.Open(ctx, a, pgstore.Options{Own: own, Make: mode == cli.Create})
		switch {
		case errors.Is(err, fs.ErrNotExist) && mode == cli.Pretend:
			return &side{found.Vault, emptyStore{}, none, emptyStore{}.Close}, nil
		case errors.Is(err, fs.ErrNotExist):
			return nil, notFound("%s: no such vault", found.Vault)
		case err != nil:
			return nil, err
		}
		files := func(ctx context.Context) (map[mdstore.Path]mdstore.Version, []leftOut, error) {
			all, unfit, err := st.Files(ctx)
			maps.DeleteFunc(all, func(p mdstore.Path, _ mdstore.Version) bool {
				return p.Under(mdstore.LocalDir) || strings.HasPrefix(string(p), string(mdstore.SessionsFile))
			})
			var left []leftOut
			for _, name := range slices.Sorted(maps.Keys(unfit)) {
				left = append(left, leftOut{name, unfit[name]})
			}
			return all, left, err
		}
		return &side{found.Vault, st, files, st.Close}, nil
	}
	if !found.Exists && mode == cli.Pretend {
		return &side{found.Vault, emptyStore{}, none, emptyStore{}.Close}, nil
	}
	if !found.Exists {
		if err := cmp.Or(v.mayMake(found), dirstore.Create(found.Vault)); err != nil {
			return nil, err
		}
	}
	opt, err := v.options(found.Project, config.Merge(v.layers("", found)...))
	if err != nil {
		return nil, err
	}
	st, err := dirstore.Open(found.Vault, opt)
	if err != nil {
		return nil, err
	}
	files := func(ctx context.Context) (map[mdstore.Path]mdstore.Version, []leftOut, error) {
		return filesOf(ctx, found.Vault, st)
	}
	return &side{found.Vault, st, files, st.Close}, nil
}

// filesOf returns the files of a vault in a folder that a copy takes.
func filesOf(
	ctx context.Context, dir string, st mdstore.Store,
) (all map[mdstore.Path]mdstore.Version, left []leftOut, err error) {
	all = map[mdstore.Path]mdstore.Version{}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		p := mdstore.Path(filepath.ToSlash(rel))
		switch base := e.Name(); {
		case e.IsDir() && (base == mdstore.LocalDir || base == ".git"):
			return fs.SkipDir
		case e.IsDir(), p == mdstore.SessionsFile, strings.HasPrefix(string(p), mdstore.CorruptPrefix),
			strings.HasPrefix(base, mdstore.TempPrefix), base == ".git":
			return nil
		case !p.Valid():
			left = append(left, leftOut{rel, "no file of a vault may have such a name"})
			return nil
		}
		f, err := st.Read(ctx, p)
		switch {
		case errors.Is(err, os.ErrNotExist): // removed just now
		case err != nil:
			left = append(left, leftOut{rel, errs.As(err).Message})
		default:
			all[p] = f.Version
		}
		return ctx.Err()
	})
	return all, left, err
}

// copyMark is a file in .local/ of a vault that a copy has not finished; it names the vault that is copied.
const copyMark = mdstore.Path("copying")

const (
	copyRounds = 5       // how often FROM may change while it is copied
	copyFiles  = 256     // files of one commit
	copyBytes  = 4 << 20 // bytes of one commit
)

// copyVault makes the files of a vault those of another one. It reads all of both again until they are equal.
func copyVault(ctx context.Context, from, to *side, out *copied) error {
	local, _ := to.st.(mdstore.Local)
	for round := range copyRounds {
		want, left, err := from.files(ctx)
		if err != nil {
			return err
		}
		has, others, err := to.files(ctx)
		if err != nil {
			return err
		}
		out.Files, out.Left = len(want), left
		var wrong []mdstore.Path
		for p, v := range want {
			if has[p] != v {
				wrong = append(wrong, p)
			}
		}
		for p := range has {
			if _, known := want[p]; !known {
				wrong = append(wrong, p)
			}
		}
		slices.Sort(wrong)
		mark := []byte(from.name + "\n")
		if round == 0 {
			begun := local != nil && marked(ctx, local, mark)
			if len(has)+len(others) > 0 && len(wrong) > 0 && !begun {
				return errs.New(errs.InvalidPath, "%s: has %d files, and is no unfinished copy of %s; nothing was changed: "+
					"copy to a new folder, or to a vault with a new name (?vault=NAME)", to.name, len(has)+len(others), from.name)
			}
		}
		if out.Written += len(wrong); out.DryRun {
			return nil
		}
		if len(wrong) == 0 {
			return local.RemoveLocal(ctx, copyMark)
		}
		if err := local.WriteLocal(ctx, copyMark, mark); err != nil {
			return err
		}
		if err := write(ctx, from.st, to.st, wrong, want, has); err != nil {
			return err
		}
	}
	return errs.New(errs.Conflicting, "%s keeps changing while it is copied; "+
		"the same command goes on with the copy once nobody writes there", from.name)
}

func marked(ctx context.Context, local mdstore.Local, mark []byte) bool {
	data, err := local.ReadLocal(ctx, copyMark)
	return err == nil && string(data) == string(mark)
}

// write gives files of a vault the bytes that they have in another one. A file that changes meanwhile is left to the
// next round.
func write(
	ctx context.Context, from, to mdstore.Store, paths []mdstore.Path, want, has map[mdstore.Path]mdstore.Version,
) error {
	loop := mdstore.LoopOf(ctx, "files copied", len(paths))
	defer loop.End()
	var changes []mdstore.Change
	size, shown := 0, 0
	commit := func() error {
		_, err := to.Commit(ctx, changes)
		changes, size = nil, 0
		if errors.As(err, new(*mdstore.ConflictError)) {
			return nil
		}
		return err
	}
	for i, p := range paths {
		c := mdstore.Change{Path: p, Base: has[p]}
		if _, wanted := want[p]; wanted {
			f, err := from.Read(ctx, p)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if c.New = f.Data; f.Version == c.Base {
				continue
			}
		}
		changes = append(changes, c)
		if size += len(c.New); size < copyBytes && len(changes) < copyFiles && i+1 < len(paths) {
			continue
		}
		if err := commit(); err != nil {
			return err
		}
		loop.Done(i + 1 - shown)
		shown = i + 1
	}
	return commit()
}
