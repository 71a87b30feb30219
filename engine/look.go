package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io/fs"
	"iter"
	"maps"
	"strconv"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A look is what a session has seen of a workspace: for each file, digests of its fields and sections. It is kept in .local/ and may be lost; a
// session without one looks for the first time.
//
// It is kept in parts, each with the files whose paths have the same hash: so it has room for any number of files, and the note of one change writes one part.
type look struct {
	Workspace mdstore.ID
	Parts     int
	Looked    int64 // of part 0: when the session looked, in Unix milliseconds, to a day
	Files     map[mdstore.Path]*fingerprint

	all      *Snapshot         // of a look that is in memory: one in which nothing differs from it; nil where none is known
	near     *Snapshot         // the last that was such a one: nothing else differs in it but what the session has changed itself since
	versions []mdstore.Version // of the parts as they were read, which are more than Parts where that changed
}

const (
	partFiles = 512     // files to a part, on average, when a look is first kept
	partMost  = 1536    // files to a part, on average, beyond which the parts are made anew
	partsMost = 1 << 14 // parts, beyond which a number of them is taken for damage
	namedMost = 48      // fields and sections of a file beyond which a change of it is told without naming them, so that a part stays far below the limit of size
)

// known reports whether the session has looked before.
func (l look) known() bool { return l.Files != nil }

// looksDir holds a folder for what each session has seen of a workspace.
const looksDir = mdstore.Path(mdstore.LocalDir + "/seen")

const lookNameLen = 8 // bytes of a digest that name a folder

func lookDir(session string, ws mdstore.ID) mdstore.Path {
	sum := sha256.Sum256([]byte(session + "\x00" + string(ws)))
	return looksDir.Join(hex.EncodeToString(sum[:lookNameLen]))
}

func lookPath(session string, ws mdstore.ID, part int) mdstore.Path {
	return lookDir(session, ws).Join(strconv.Itoa(part))
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
	whole := map[mdstore.Path]*fingerprint{}
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
			l.Parts, l.Looked = part.Parts, part.Looked
			whole = make(map[mdstore.Path]*fingerprint, l.Parts*len(part.Files)*9/8)
		}
		maps.Copy(whole, part.Files)
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
	part, ok := decodeLook(f.Data)
	if !ok || part.Workspace != ws {
		return look{}, f.Version, nil
	}
	return part, f.Version, nil
}

// saveLook keeps what a session has seen in place of what was read before, writing the parts that differ.
func (e *Engine) saveLook(ctx context.Context, session string, l, old look) error {
	l.Looked = e.opt.Now().UnixMilli()
	if e.attend(session, l) {
		return nil
	}
	if l.Parts = old.Parts; !old.known() || len(l.Files) > l.Parts*partMost {
		l.Parts = 1 + len(l.Files)/partFiles
	}
	parts := make([]look, l.Parts)
	for i := range parts {
		parts[i] = look{Workspace: l.Workspace, Parts: l.Parts, Files: make(map[mdstore.Path]*fingerprint, len(l.Files)/l.Parts*9/8)}
	}
	parts[0].Looked = l.Looked
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
			c.New = parts[i].encode()
		}
		if c.New == nil && c.Base.IsZero() || c.New != nil && mdstore.VersionOf(c.New) == c.Base {
			continue
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	return e.exclusively(ctx, func(st mdstore.Store) error {
		err := e.aside(ctx, st, changes)
		if err == nil && !old.current(l.Looked) {
			e.clearLooks(ctx, st, lookDir(session, l.Workspace))
		}
		return err
	})
}

// lookAt returns what is to be seen now, taking over what an older look says of files that are the same. proved is how many of these had to be read for it and need not be
// with this look.
func lookAt(s *Snapshot, old look) (now look, proved int) {
	return lookAmong(s, s.All(), s.Len(), old)
}

// lookAmong is lookAt of the workspace's own file, the files that nobody can read, and those of some nodes, which are so many.
func lookAmong(s *Snapshot, nodes iter.Seq[*mdstore.Node], many int, old look) (now look, proved int) {
	now = look{Workspace: s.ws.ID, Files: make(map[mdstore.Path]*fingerprint, many+1)}
	own, ok := old.Files[s.ws.Path]
	if !ok || own.Version != s.ws.Version.String() {
		own = printOf(s.ws.Version, s.ws.Doc)
	}
	now.Files[s.ws.Path] = own.of("", s.ws.Name)
	var anew []*mdstore.Node // those that may have changed
	for n := range nodes {
		if f, ok := old.Files[n.Path]; ok && n.Stamp.Same(f.Stamp) {
			now.Files[n.Path] = f.of(n.ID, n.Title)
		} else {
			anew = append(anew, n)
		}
	}
	prints := make([]*fingerprint, len(anew))
	split(len(anew), func(i int) { prints[i] = s.print(anew[i], old.Files[anew[i].Path]) })
	for i, n := range anew {
		if now.Files[n.Path] = prints[i]; n.Stamp.Firm && old.Files[n.Path] != nil && old.Files[n.Path].Version == prints[i].Version {
			proved++
		}
	}
	for it := s.broken.Iterator(); !it.Done(); {
		p, d, _ := it.Next()
		if f, ok := old.Files[p]; ok && d.Code != CodeFileMissing { // it is there, if nobody can tell what it says
			now.Files[p] = &fingerprint{Version: d.Code, Node: f.Node, Title: f.Title}
		}
	}
	return now, proved
}

// print returns the fingerprint of a node's file; was is the one that it had, nil for none.
func (s *Snapshot) print(n *mdstore.Node, was *fingerprint) *fingerprint {
	doc, v := n.File()
	var f fingerprint
	if was != nil && was.Version == v.String() {
		f = *was
	} else {
		f = *printOf(v, doc)
	}
	f.Node, f.Title, f.Stamp = n.ID, n.Title, mdstore.Stamp{}
	if n.Stamp.Firm {
		f.Stamp = n.Stamp
	}
	return &f
}
