package plan

import (
	"fmt"
	"strings"

	"arbor/mdstore"
)

const leastZipped = 1024 // bytes of text that are worth compressing

// A SlotSize has the sizes of a slot, plain and compressed.
type SlotSize struct {
	Name                 string
	Path                 mdstore.Path // the file's path afterwards
	Original, Compressed int          // bytes of the text, and of its compressed form
	Zipped               bool         // the file is compressed now
	Keep                 string       // why compress leaves the file as it is; "" if it would compress it
}

// SizeOf returns the size that the text of a slot has when compressed. It uses the document.
func SizeOf(p *mdstore.Page, force bool) SlotSize {
	text := p.Doc().Bytes()
	s := SlotSize{Name: mdstore.SlotName(p), Path: p.Path, Original: len(text), Compressed: len(mdstore.Stored(zippedPath(p), text)), Zipped: p.Path.IsZipped()}
	switch {
	case s.Zipped:
		s.Keep = "it is compressed already"
	case force:
	case s.Original < leastZipped:
		s.Keep = fmt.Sprintf("it has less than %d bytes; force compresses it all the same", leastZipped)
	case s.Compressed >= s.Original:
		s.Keep = "it would not be smaller; force compresses it all the same"
	}
	return s
}

// zippedPath returns the path of a slot's file when it is compressed.
func zippedPath(p *mdstore.Page) mdstore.Path {
	return mdstore.Path(strings.TrimSuffix(string(p.Path), mdstore.Zipped) + mdstore.Zipped)
}

// CompressSlot makes the file of a slot a compressed one, or with Open a plain one again. Its text stays.
type CompressSlot struct {
	Slot  string
	Open  bool
	Force bool // even if the file does not get smaller
}

// Plan plans the change. It changes nothing if the slot already has that form.
func (x CompressSlot) Plan(d *Draft) (SlotSize, error) {
	p, err := slotOf(d, x.Slot)
	if err != nil {
		return SlotSize{}, err
	}
	out := SizeOf(p, x.Force)
	to, what := zippedPath(p), "compressed"
	if x.Open {
		if out.Keep = ""; !out.Zipped {
			out.Keep = "it is not compressed"
		}
		to, what = mdstore.Path(strings.TrimSuffix(string(p.Path), mdstore.Zipped)), "decompressed"
	}
	if out.Keep != "" {
		return out, nil
	}
	if placeTaken(d, to) {
		return out, slotInTheWay(out.Name, "lies where its file would", to)
	}
	out.Path, out.Zipped = to, !x.Open
	d.whole(mdstore.Change{Path: to, New: mdstore.Stored(to, p.Doc().Bytes())}, inSlot(p, what))
	d.whole(mdstore.Change{Path: p.Path, Base: p.Version()})
	return out, nil
}
