package plan

import (
	"slices"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// FreshID returns an id that no node of the workspace has.
func (d *Draft) FreshID() (mdstore.ID, error) {
	return draw(d, "node", func(id mdstore.ID) bool {
		_, taken := d.View.Node(id)
		_, broken := d.View.BrokenFolder(string(id))
		return taken || broken
	})
}

// draw returns a new id with that prefix that is not taken.
func draw(d *Draft, prefix string, taken func(mdstore.ID) bool) (mdstore.ID, error) {
	for range 100 {
		id, err := d.opt.NewID(prefix)
		if err != nil {
			return "", err
		}
		if !taken(id) && !slices.Contains(d.drawn, id) {
			d.drawn = append(d.drawn, id)
			return id, nil
		}
	}
	return "", errs.New(errs.InternalError, "no free id found in 100 tries; the source of randomness repeats itself")
}
