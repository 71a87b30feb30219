package plan

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/mdstore/mdoc"
)

// SlotFacts are the properties of a slot besides its entries; nil keeps the present value.
type SlotFacts struct {
	Name, Group, Description *string
	Tags                     []string // all of them; nil leaves them
	Priority                 *int
	Custom                   map[string]any // other keys of the front matter: values as JSON has them, null for no value
	Created, Updated         int64          // times of a new slot, in Unix milliseconds; 0 means now
}

// CheckSlotName returns the error INVALID_NAME for an invalid name of a slot.
func CheckSlotName(name string) error {
	if wrong := mdstore.WrongSlotName(name); wrong != "" {
		return badName("%s", wrong)
	}
	if fold.Name(name) == NoSlotName {
		return badName("%s is what {memory_use} takes for no slot; choose another name", name)
	}
	return nil
}

// NoSlotName stands for the slot's name in a session that must not write to the memory.
const NoSlotName = "none"

func badName(format string, args ...any) error {
	return errs.New(errs.InvalidName, format, args...).With(errs.Details{Param: "slot"})
}

// check returns the error INVALID_NAME for facts that no slot can have.
func (f SlotFacts) check() error {
	if f.Name != nil {
		if err := CheckSlotName(*f.Name); err != nil {
			return err
		}
	}
	if f.Group != nil && *f.Group != "" {
		for part := range strings.SplitSeq(*f.Group, "/") {
			if part == "" || strings.HasPrefix(part, ".") || strings.Trim(part, " ") != part || strings.HasSuffix(part, ".") ||
				!mdstore.Path(part).Valid() || strings.ContainsAny(part, `<>:"|?*`) || device().MatchString(part) {
				return badName("%q is no group; names with / between are one, as projects/alpha: none empty, none beginning with a dot", *f.Group)
			}
			if mdstore.SlotNameTooLong(part) {
				return badName("%q is no group: one of its names is too long; a name has at most 100 characters and 220 "+
					"bytes", *f.Group)
			}
		}
	}
	for _, t := range f.Tags {
		if wrong := mdstore.WrongSlotTag(t); wrong != "" {
			return badName("%s", wrong)
		}
	}
	if f.Priority != nil {
		if err := mdstore.SlotKind.Key(mdstore.KeyPriority).Rule.Check("priority", strconv.Itoa(*f.Priority)); err != nil {
			return errs.New(errs.InvalidParams, "%v", err).With(errs.Details{Param: "priority"})
		}
	}
	if f.Description != nil && strings.ContainsAny(*f.Description, "\r\n") {
		return errs.New(errs.InvalidContent, "the description has several lines; one line is a description: save the rest as an entry").
			With(errs.Details{Param: "description"})
	}
	return nil
}

// front returns the front matter that the facts give a slot.
func (f SlotFacts) front() (out front, err error) {
	text := func(key string, v *string) {
		if v != nil {
			out.put(key, mdoc.Text(*v))
		}
	}
	text(mdstore.KeyName, f.Name)
	text(mdstore.KeyDescription, f.Description)
	if f.Tags != nil {
		out.put(mdstore.KeyTags, mdoc.List(f.Tags...))
	}
	if f.Priority != nil {
		out.put(mdstore.KeyPriority, mdoc.Integer(int64(*f.Priority)))
	}
	keys := make([]string, 0, len(f.Custom))
	for key := range f.Custom {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		v, ok := custom(f.Custom[key])
		switch {
		case ownSlotKey(key):
			return nil, errs.New(errs.InvalidParams, "metadata.%s: this key is no metadata: it has a parameter of its own, "+
				"or Arbor writes it", key).With(errs.Details{Param: "metadata"})
		case !ok:
			return nil, errs.New(errs.InvalidParams, "metadata.%s: the value has more than %d bytes; save it as an entry",
				key, longestField).With(errs.Details{Param: "metadata"})
		case key == "project_phase" && f.Custom[mdstore.KeyPhase] == nil: // as exports call it
			key = mdstore.KeyPhase
		}
		out.put(key, v)
	}
	return out, nil
}

// ownSlotKey reports whether a key has a parameter of its own, or is written by Arbor.
func ownSlotKey(key string) bool {
	own := mdstore.SlotKind.Key(key)
	return own != nil && !own.Free
}

// longestField is how many bytes of YAML the value of a custom key may have; all of the front matter has 64 KiB.
const longestField = 8 << 10

// custom returns the front matter value of a custom key; ok is false for one that cannot stand there.
func custom(value any) (v mdoc.Scalar, ok bool) {
	v, ok = mdoc.Of(value)
	return v, ok && len(v.String()) <= longestField
}

// slotOf returns the slot that ref names, in the version that the caller has read.
func slotOf(d *Draft, ref string) (*mdstore.Page, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, err := view.Slot(d.View, ref, false)
	if err != nil {
		return nil, err
	}
	if err := p.Editable(); err != nil {
		q, ok := fronted(d, p)
		if !ok {
			return nil, err
		}
		p = q
	}
	return p, d.match(p.Path, p.Version())
}

// fronted returns the page of a note that a person put into the memory, with front matter above its text; ok is false
// for a page that is closed to edits for another reason.
func fronted(d *Draft, p *mdstore.Page) (q *mdstore.Page, ok bool) {
	text := bytes.TrimPrefix(p.Doc().Bytes(), []byte("\ufeff"))
	if p.Problems[0].Code != mdoc.CodeNoFrontMatter || bytes.HasPrefix(text, []byte("---")) {
		return nil, false
	}
	head, _, err := mdoc.Compose(string(p.Path), mdstore.SlotForm, front{
		{Key: mdstore.KeyID, Value: mdoc.Text(string(p.ID))},
		{Key: mdstore.KeyName, Value: mdoc.Text(mdstore.SlotName(p))},
		{Key: mdstore.KeyCreated, Value: mdoc.Integer(d.now.UnixMilli())},
	}, nil)
	if err != nil {
		return nil, false
	}
	above := string(head.Bytes()) + "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		above = strings.ReplaceAll(above, "\n", "\r\n")
	}
	doc, problems := mdoc.Parse(string(p.Path), slices.Concat([]byte(above), text), mdstore.SlotForm)
	q = mdstore.PageOf(mdstore.SlotKind, p.Path, p.Version(), doc, problems)
	return q, q.Editable() == nil
}

// newSlot returns the path and the document of a new slot.
func newSlot(d *Draft, f SlotFacts) (mdstore.Path, *mdoc.Doc, mdstore.ID, error) {
	if err := view.NoSlot(*f.Name, []*view.View{d.View}, false); errs.As(err).Code != errs.SlotNotFound {
		return "", nil, "", err // it may be there, and cannot be read
	}
	if err := freeName(d, *f.Name, ""); err != nil {
		return "", nil, "", err
	}
	id, err := draw(d, "slot", func(id mdstore.ID) bool {
		return slices.ContainsFunc(d.View.Pages().All(), func(p *mdstore.Page) bool { return p.ID == id })
	})
	if err != nil {
		return "", nil, "", err
	}
	fields := front{{Key: mdstore.KeyID, Value: mdoc.Text(string(id))}}
	more, err := f.front()
	if err != nil {
		return "", nil, "", err
	}
	fields = append(fields, more...)
	fields.put(mdstore.KeyCreated, mdoc.Integer(cmp.Or(f.Created, d.now.UnixMilli())))
	fields.put(mdstore.KeyUpdated, mdoc.Integer(cmp.Or(f.Updated, f.Created, d.now.UnixMilli())))
	group := ""
	if f.Group != nil {
		group = *f.Group
	}
	path := slotPath(d, mdstore.SlotKind, group, *f.Name, id)
	doc, _, err := mdoc.Compose(string(path), mdstore.SlotForm, fields, nil)
	return path, doc, id, err
}

// freeName returns the error NAME_TAKEN if a slot other than the one at the path but has the name.
func freeName(d *Draft, name string, but mdstore.Path) error {
	for _, p := range view.SlotsNamed(d.View, name, false) {
		if p.Path != but {
			return errs.New(errs.NameTaken, "%s: there is a slot with this name: %s; choose another name, or give that one another "+
				"({memory_update})", name, p.Path).With(errs.Details{Param: "name", Paths: []string{string(p.Path)}})
		}
	}
	return nil
}

// slotPath returns the path for the file of a slot: from its name, or from name and id if a file of that name exists.
func slotPath(d *Draft, k *mdstore.Kind, group, name string, id mdstore.ID) mdstore.Path {
	folder := k.Folder(d.View.Workspace().Dir)
	if group != "" {
		folder = folder.Join(strings.Split(group, "/")...)
	}
	p := k.FileFor(folder, name)
	if device().MatchString(name) || placeTaken(d, p) {
		return k.FileFor(folder, name+"-"+string(id))
	}
	return p
}

// placeTaken reports whether a file has this path on a file system without upper and lower case.
func placeTaken(d *Draft, p mdstore.Path) bool {
	same := func(o mdstore.Path) bool { return strings.EqualFold(string(o), string(p)) }
	for broken := range d.View.Pages().Broken() {
		if same(broken) {
			return true
		}
	}
	return slices.ContainsFunc(d.View.Pages().All(), func(o *mdstore.Page) bool { return same(o.Path) })
}

// changeSlot plans a change of a slot's front matter and entries, and sets updatedAt. Texts that people wrote between
// the entries become entries with ids. If the change removes entries that exist nowhere else, the old file is kept.
func changeSlot(d *Draft, p *mdstore.Page, fields front, c mdstore.SlotChange, keep mdstore.ID, what view.Change) (kept mdstore.Path, err error) {
	doc, version := p.File()
	old := mdstore.Stored(p.Path, doc.Bytes())
	if was, ok := d.View.Pages().At(p.Path); ok {
		old = mdstore.Stored(p.Path, was.Doc().Bytes())
	}
	if !d.opt.Untimed {
		fields.put(mdstore.KeyUpdated,
			mdstore.TimeIn(doc, mdstore.KeyUpdated, max(d.now.UnixMilli(), p.Time(mdstore.KeyUpdated))))
	}
	var patches []mdoc.Patch
	for _, f := range fields {
		patch, err := doc.SetField(f.Key, f.Value)
		if err != nil {
			return "", err
		}
		patches = append(patches, patch)
	}
	if doc, err = doc.Apply(patches...); err != nil {
		return "", err
	}
	text, err := changed(d, doc, c)
	if err != nil {
		return "", err
	}
	if keep != "" {
		kept = mdstore.Path(mdstore.LocalDir).Join(mdstore.ReplacedDir, mdstore.TrashStamp(d.now, string(keep))+".md")
		d.extra = append(d.extra, planned{change: mdstore.Change{Path: kept, New: p.Doc().Bytes()}, first: true, quiet: true})
	}
	d.extra = append(d.extra, planned{change: mdstore.Change{Path: p.Path, Base: version, New: mdstore.Stored(p.Path, text)}, what: []view.Change{what}, old: old})
	return kept, nil
}

// changed returns the bytes of a slot after a change of its entries.
func changed(d *Draft, doc *mdoc.Doc, c mdstore.SlotChange) ([]byte, error) {
	c.Now = d.now
	c.Adopt = func() (mdstore.ID, error) { return entryID(d, doc) }
	return mdstore.ChangeSlot(doc, c)
}

// entryID draws an id that no entry of a slot has.
func entryID(d *Draft, doc *mdoc.Doc) (mdstore.ID, error) {
	all := mdstore.EntriesOf(doc)
	return draw(d, "entry", func(id mdstore.ID) bool {
		return slices.ContainsFunc(all, func(e mdstore.SlotEntry) bool { return e.ID == id })
	})
}

// inSlot returns the change record for a slot.
func inSlot(p *mdstore.Page, do string) view.Change {
	return view.Change{ID: p.ID, Do: do, Name: mdstore.SlotName(p)}
}
