package mdstore

import (
	"fmt"
	"io/fs"
)

// CheckChanges reports whether changes are a commit that a store can be asked
// for, whatever the vault holds. Every store refuses the others with this
// error, which is an fs.ErrInvalid, before it looks at a file:
//
//   - every path is valid, and each change is of exactly one of the four kinds;
//   - no path is named twice, be it as a Path or as a To;
//   - nothing is written, removed or moved to below a file of the same commit;
//   - a change below a folder that moves names its path before the move, and
//     stands before the move; nothing moves into a folder that moves;
//   - no New is larger than its path's MaxSize.
func CheckChanges(changes []Change) error {
	at := make(map[Path]int, len(changes)) // the change that names a path
	name := func(i int, p Path) error {
		if !p.Valid() {
			return fmt.Errorf("change %d: %q is no path inside of a vault: %w", i, p, fs.ErrInvalid)
		}
		if j, twice := at[p]; twice {
			return fmt.Errorf("%s: named by changes %d and %d of one commit: %w", p, j, i, fs.ErrInvalid)
		}
		at[p] = i
		return nil
	}
	for i, c := range changes {
		if err := name(i, c.Path); err != nil {
			return err
		}
		switch {
		case c.To != "" && c.Keep, c.New != nil && (c.To != "" || c.Keep):
			return fmt.Errorf("%s: a change is one of new bytes, a removal, a move or a keep: %w", c.Path, fs.ErrInvalid)
		case int64(len(c.New)) > MaxSize(c.Path):
			return fmt.Errorf("%s: %d bytes are more than the %d that a file may have: %w", c.Path, len(c.New), MaxSize(c.Path), fs.ErrInvalid)
		case c.New == nil && c.To == "" && !c.Keep && c.Base.IsZero():
			return fmt.Errorf("%s: removed, but said not to exist: %w", c.Path, fs.ErrInvalid)
		case c.To == "":
			continue
		}
		if err := name(i, c.To); err != nil {
			return err
		}
	}
	for p, i := range at {
		for dir := p.Dir(); dir != ""; dir = dir.Dir() {
			j, named := at[dir]
			if !named {
				continue
			}
			above := changes[j]
			switch {
			case above.To == "":
				return fmt.Errorf("%s: lies below %s, which is a file of the same commit: %w", p, dir, fs.ErrInvalid)
			case dir == above.To:
				return fmt.Errorf("%s: lies below %s, which the same commit moves there; name it by its place before the move: %w", p, dir, fs.ErrInvalid)
			case p == changes[i].To:
				return fmt.Errorf("%s: moves into %s, which the same commit moves away: %w", changes[i].Path, dir, fs.ErrInvalid)
			case i > j:
				return fmt.Errorf("%s: stands after the move of %s in the same commit; put it before: %w", p, dir, fs.ErrInvalid)
			}
		}
	}
	return nil
}
