package plan

import (
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// ReadFile reads a file that is not a document of a workspace; a missing one has the zero Version.
type ReadFile func(mdstore.Path) (mdstore.File, error)

// ArchiveSlot moves a slot into the archive of its workspace, compressed, with a note beside it.
type ArchiveSlot struct {
	Slot     string
	Reason   string
	Accessed time.Time // when it was last read or changed, as far as is known
	Read     ReadFile
}

// Plan plans the move. New files come first, so that nothing is lost if only a part of the commit is made.
func (x ArchiveSlot) Plan(d *Draft) (*SlotDone, error) {
	p, err := slotOf(d, x.Slot)
	if err != nil {
		return nil, err
	}
	if err := onlyOne(p, d.View.Pages().Of(mdstore.ArchivedSlotKind)); err != nil {
		return nil, err
	}
	out := &SlotDone{ID: p.ID, Name: mdstore.SlotName(p)}
	name := strings.TrimSuffix(strings.TrimSuffix(p.Path.Base(), mdstore.Zipped), ".md")
	out.Path = slotPath(d, mdstore.ArchivedSlotKind, mdstore.SlotGroup(p), name, p.ID)
	entries := len(mdstore.EntriesOf(p.Doc()))
	note := mdstore.ArchiveNote{Reason: x.Reason, At: d.now, LastAccessed: x.Accessed, Entries: entries}
	if err := toArchive(d, x.Read, out.Path, p.Path, p.Doc().Bytes(), note, inSlot(p, "archived")); err != nil {
		return nil, err
	}
	d.whole(mdstore.Change{Path: p.Path, Base: p.Version()})
	return out, nil
}

// toArchive writes a slot's text to a path in the archive, and the note beside it. from is the path of the slot in use.
func toArchive(
	d *Draft, read ReadFile, to, from mdstore.Path, text []byte, note mdstore.ArchiveNote, what view.Change,
) error {
	old, err := read(mdstore.NotePath(to)) // a note can remain of an archived slot that a person removed
	if err != nil {
		return err
	}
	note.From, note.Size = string(from[len(d.View.Workspace().Dir)+1:]), len(text)
	note.At, note.LastAccessed = note.At.UTC().Truncate(time.Second), note.LastAccessed.UTC().Truncate(time.Second)
	data, err := note.Bytes()
	if err != nil {
		return err
	}
	d.whole(mdstore.Change{Path: to, New: mdstore.Stored(to, text)}, what)
	d.whole(mdstore.Change{Path: mdstore.NotePath(to), Base: old.Version, New: data})
	return nil
}

// RestoreSlot moves an archived slot back to its former path, byte for byte.
type RestoreSlot struct {
	Slot string
	Read ReadFile
}

// Plan plans the move. Without the note, the slot's place in the archive says where it goes.
func (x RestoreSlot) Plan(d *Draft) (*SlotDone, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, err := view.Slot(d.View, x.Slot, true)
	if err != nil {
		return nil, err
	}
	if err := p.Editable(); err != nil {
		return nil, err
	}
	if err := d.match(p.Path, p.Version()); err != nil {
		return nil, err
	}
	if err := onlyOne(p, view.Slots(d.View)); err != nil {
		return nil, err
	}
	note, err := x.Read(mdstore.NotePath(p.Path))
	if err != nil {
		return nil, err
	}
	out := &SlotDone{ID: p.ID, Name: mdstore.SlotName(p), Path: mdstore.ParseNote(note.Data).Home(d.View.Workspace().Dir, p)}
	for _, o := range view.SlotsNamed(d.View, out.Name, false) {
		return nil, slotInTheWay(out.Name, "has this name now", o.Path)
	}
	if placeTaken(d, out.Path) {
		return nil, slotInTheWay(out.Name, "has its place now", out.Path)
	}
	d.whole(mdstore.Change{Path: out.Path, New: mdstore.Stored(out.Path, p.Doc().Bytes())}, inSlot(p, "restored"))
	d.whole(mdstore.Change{Path: p.Path, Base: p.Version()})
	if !note.Version.IsZero() {
		d.whole(mdstore.Change{Path: note.Path, Base: note.Version})
	}
	return out, nil
}

// onlyOne returns an error if one of others has the id of a slot.
func onlyOne(p *mdstore.Page, others []*mdstore.Page) error {
	for _, o := range others {
		if o.ID == p.ID && o.Path != p.Path {
			return errs.New(errs.DuplicateID, "%s: %s has the id %s too; give one of them another id, or remove "+
				"one: {workspace_check} says which has more",
				mdstore.SlotName(p), o.Path, p.ID).With(errs.Details{Param: "slot", Paths: []string{string(p.Path), string(o.Path)}})
		}
	}
	return nil
}

func slotInTheWay(name, why string, at mdstore.Path) error {
	return errs.New(errs.NameTaken, "%s: %s %s; give that one another name ({memory_update}) or archive it, and try again",
		name, at, why).With(errs.Details{Param: "slot", Paths: []string{string(at)}})
}
