package feed

import (
	"slices"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// doubts reports whether a finding may be gone in a moment: a program may be writing a file that is missing or
// unreadable now. A finding that the previous look had too is certain.
func (f *Feed) doubts(events []Event) bool {
	doubted, doubt := map[string]bool{}, false
	for i := range events {
		v := &events[i]
		if v.Kind == view.Removed || v.Blank || v.is != nil && v.is.Editable() != nil && (v.was == nil || v.was.Editable() == nil) {
			key := v.Kind + " " + string(v.Path)
			doubted[key] = true
			doubt = doubt || !f.doubted[key]
		}
	}
	if doubt && f.held < mostHeld {
		f.doubted, f.held = doubted, f.held+1
		return true
	}
	f.doubted, f.held = nil, 0
	return false
}

// remember keeps the last content of files that cannot be read now.
func (f *Feed) remember(events []Event) {
	for i := range events {
		v := &events[i]
		if v.Kind == Diagnosed {
			continue
		}
		delete(f.good, v.before())
		if v.Blank && v.was != nil {
			f.good[v.Path] = v.was
		}
	}
}

// diagnosed gives the events the diagnostics that came and went with them: those of a file to the event of that file,
// others to the last event of the workspace. If there is none, they get events of their own.
func (f *Feed) diagnosed(events []Event, parts []part, shared []mdoc.Diagnostic) []Event {
	var out []Event
	for _, c := range parts {
		var old, now []mdoc.Diagnostic
		id := mdstore.ID("")
		if c.was != nil {
			old, id = slices.Clone(c.was.found), c.was.view.Workspace().ID
		}
		if c.is != nil {
			now, id = c.is.found, c.is.view.Workspace().ID
		}
		own := events[c.start:c.end:c.end]
		if c.was != nil && c.is != nil {
			follow(old, own, c.was.view.Workspace().Dir, c.is.view.Workspace().Dir)
		}
		out = append(out, give(own, old, now, id)...)
	}
	return give(out, f.shared, shared, "")
}

// follow gives diagnostics the places that their files have now.
func follow(ds []mdoc.Diagnostic, events []Event, from, to mdstore.Path) {
	places := map[string]mdstore.Path{}
	for i := range events {
		if v := &events[i]; v.From != "" {
			places[string(v.From)] = v.Path
		}
	}
	for i := range ds {
		if p, ok := places[ds[i].File]; ok {
			ds[i].File = string(p)
		} else {
			ds[i].File = string(view.MovedTo(mdstore.Path(ds[i].File), from, to))
		}
	}
}

// fault returns a diagnostic without its line, because lines above it come and go.
func fault(d mdoc.Diagnostic) [3]string { return [...]string{d.File, d.Code, d.Text} }

// give adds to events what came and went between two states of the diagnostics.
func give(events []Event, old, now []mdoc.Diagnostic, ws mdstore.ID) []Event {
	found, mended := view.Surplus(now, old, fault), view.Surplus(old, now, fault)
	if len(found)+len(mended) == 0 {
		return events
	}
	at := map[string]int{}
	for i := range events {
		at[string(events[i].Path)] = i
	}
	last := len(events) - 1
	of := func(d mdoc.Diagnostic) *Event {
		i, ok := at[d.File]
		switch {
		case ok:
		case last >= 0:
			i = last
		default:
			i = len(events)
			at[d.File] = i
			events = append(events, Event{Kind: Diagnosed, Workspace: ws, Path: mdstore.Path(d.File)})
		}
		return &events[i]
	}
	for _, d := range found {
		v := of(d)
		v.Found = append(v.Found, d)
	}
	for _, d := range mended {
		v := of(d)
		v.Mended = append(v.Mended, d)
	}
	return events
}
