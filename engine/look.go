package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A look is what a session has seen of a workspace: for each file, digests of its fields and sections. It is kept in .local/ and may be lost; a
// session without one looks for the first time.
//
// It is kept in parts, each with the files whose paths have the same hash: so it has room for any number of files, and the note of one change writes one part.
type look struct {
	Workspace mdstore.ID                   `json:"workspace"`
	Parts     int                          `json:"parts"`
	Files     map[mdstore.Path]fingerprint `json:"files"`

	all      *Snapshot         // of an attended session: one in which nothing differs from the look; nil where none is known
	volatile bool              // kept in memory, for as long as the session lasts
	versions []mdstore.Version // of the parts as they were read, which are more than Parts where that changed
}

type fingerprint struct {
	Version  string            `json:"v"`
	Stamp    string            `json:"m,omitempty"` // the key of the file's stamp then: a file that has it still is the same
	Node     mdstore.ID        `json:"n,omitempty"`
	Title    string            `json:"t,omitempty"`
	Fields   map[string]string `json:"f,omitempty"`
	Sections map[string]string `json:"s,omitempty"`
}

const (
	partFiles = 256     // files to a part, on average, when a look is first kept
	partMost  = 768     // files to a part, on average, beyond which the parts are made anew
	partsMost = 1 << 14 // parts, beyond which a number of them is taken for damage
	namedMost = 48      // fields and sections of a file beyond which a change of it is told without naming them, so that a part stays far below the limit of size
)

// known reports whether the session has looked before.
func (l look) known() bool { return l.Files != nil }

func lookPath(session string, ws mdstore.ID, part int) mdstore.Path {
	sum := sha256.Sum256([]byte(session + "\x00" + string(ws)))
	return mdstore.Path(mdstore.LocalDir).Join("seen", hex.EncodeToString(sum[:8]), fmt.Sprintf("%d.json", part))
}

// partOf returns the part that a file belongs to.
func (l look) partOf(p mdstore.Path) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p))
	return int(h.Sum32() % uint32(l.Parts))
}

// readLook returns what a session has seen; a look of which a part is missing or damaged is none, but for the versions of its parts.
func (e *Engine) readLook(ctx context.Context, session string, ws mdstore.ID) (look, error) {
	if l, ok := e.attended(session, ws); ok {
		return l, nil
	}
	l := look{Workspace: ws, Parts: 1}
	whole := map[mdstore.Path]fingerprint{}
	sound := true
	for i := 0; i < max(l.Parts, len(l.versions)); i++ {
		part, v, err := e.readPart(ctx, session, ws, i)
		if err != nil {
			return look{}, err
		}
		l.versions = append(l.versions, v)
		if !part.known() || i > 0 && part.Parts != l.Parts {
			sound = false
			continue
		}
		if i == 0 {
			l.Parts = part.Parts
		}
		for p, x := range part.Files {
			whole[p] = x
		}
	}
	if sound {
		l.Files = whole
	}
	return l, nil
}

// readPart returns one part of what a session has seen; one that is not known where it is missing or damaged.
func (e *Engine) readPart(ctx context.Context, session string, ws mdstore.ID, i int) (look, mdstore.Version, error) {
	f, err := e.st.Read(ctx, lookPath(session, ws, i))
	var u *mdoc.UnreadableError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &u):
		return look{}, mdstore.Version{}, nil
	case err != nil:
		return look{}, mdstore.Version{}, err
	}
	var part look
	if json.Unmarshal(f.Data, &part) != nil || part.Workspace != ws || part.Parts < 1 || part.Parts > partsMost {
		return look{}, f.Version, nil
	}
	if part.Files == nil {
		part.Files = map[mdstore.Path]fingerprint{}
	}
	return part, f.Version, nil
}

// saveLook keeps what a session has seen in place of what was read before, writing the parts that differ.
func (e *Engine) saveLook(ctx context.Context, session string, l, old look) error {
	if e.attend(session, l) {
		return nil
	}
	if l.Parts = old.Parts; !old.known() || len(l.Files) > l.Parts*partMost {
		l.Parts = 1 + len(l.Files)/partFiles
	}
	parts := make([]look, l.Parts)
	for i := range parts {
		parts[i] = look{Workspace: l.Workspace, Parts: l.Parts, Files: map[mdstore.Path]fingerprint{}}
	}
	for p, f := range l.Files {
		parts[l.partOf(p)].Files[p] = f
	}
	var changes []mdstore.Change
	for i := range max(len(parts), len(old.versions)) {
		c := mdstore.Change{Path: lookPath(session, l.Workspace, i)}
		if i < len(old.versions) {
			c.Base = old.versions[i]
		} else if f, err := e.st.Read(ctx, c.Path); err == nil { // left by a look that is damaged
			c.Base = f.Version
		}
		if i < len(parts) {
			data, err := json.Marshal(parts[i])
			if err != nil {
				return err
			}
			c.New = data
		}
		if c.New == nil && c.Base.IsZero() || c.New != nil && mdstore.VersionOf(c.New) == c.Base {
			continue
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	return e.exclusively(ctx, func(st mdstore.Store) error { return e.aside(ctx, st, changes) })
}

func printOf(v mdstore.Version, d *mdoc.Doc) fingerprint {
	p := fingerprint{Version: v.String(), Fields: map[string]string{}, Sections: map[string]string{}}
	for _, f := range d.Fields() {
		p.Fields[f.Key] = digest(f.Value + "\x00" + d.Slice(f.Span))
	}
	for _, s := range d.Sections() {
		p.Sections[s.Name] = digest(p.Sections[s.Name] + d.Slice(s.Body))
	}
	if len(p.Fields)+len(p.Sections) > namedMost {
		p.Fields, p.Sections = nil, nil
	}
	return p
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// lookAt returns what is to be seen now, taking over what an older look says of files that are the same.
func lookAt(s *Snapshot, old look) look {
	now := look{Workspace: s.ws.ID, Files: make(map[mdstore.Path]fingerprint, s.Len()+1), volatile: old.volatile}
	own, ok := old.Files[s.ws.Path]
	if !ok || own.Version != s.ws.Version.String() {
		own = printOf(s.ws.Version, s.ws.Doc)
	}
	own.Node, own.Title = "", s.ws.Name
	now.Files[s.ws.Path] = own
	for n := range s.All() {
		f, ok := old.Files[n.Path]
		if key := n.Stamp.Key(); !ok || key == "" || f.Stamp != key {
			doc, v := n.File()
			if f.Version != v.String() {
				f = printOf(v, doc)
			}
			f.Stamp = key
		}
		f.Node, f.Title = n.ID, n.Title
		now.Files[n.Path] = f
	}
	for it := s.broken.Iterator(); !it.Done(); {
		p, d, _ := it.Next()
		if f, ok := old.Files[p]; ok && d.Code != CodeFileMissing { // it is there, if nobody can tell what it says
			now.Files[p] = fingerprint{Version: d.Code, Node: f.Node, Title: f.Title}
		}
	}
	return now
}
