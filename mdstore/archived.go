package mdstore

import (
	"strings"
	"time"

	"arbor/mdstore/mdoc"
)

// An ArchiveNote says how a slot came into the archive. It lies beside the slot's file there, and is not a document of
// a kind. A value that a note does not have is zero.
type ArchiveNote struct {
	Reason       string    `toml:"reason,omitempty"`
	At           time.Time `toml:"archived_at"`
	From         string    `toml:"path"` // the slot's former path in the workspace's folder
	Size         int       `toml:"original_size"`
	Entries      int       `toml:"entries"`
	LastAccessed time.Time `toml:"last_accessed,omitempty"`
}

// NotePath returns the path of the note about the archived slot at p.
func NotePath(p Path) Path { return Path(strings.TrimSuffix(string(p), ".md"+Zipped) + ".toml") }

// ParseNote reads a note. Of a damaged note it returns what it could read; a missing note is the zero note.
func ParseNote(data []byte) (n ArchiveNote) {
	_ = mdoc.DecodeTOML(data, &n) // the slot's place is enough without it
	return n
}

// Bytes returns the note as it is stored.
func (n ArchiveNote) Bytes() ([]byte, error) {
	n.Reason = strings.ToValidUTF8(n.Reason, "\uFFFD")
	return mdoc.EncodeTOML(n)
}

// Home returns the path to which an archived slot is restored: its former path, or else the path that its place in the
// archive implies.
func (n ArchiveNote) Home(workspace Path, p *Page) Path {
	if from := workspace.Join(n.From); n.From != "" && from.Valid() && from.Under(workspace) {
		if k := AllKinds().Of(from); k != nil && k.IsSlot() {
			return from
		}
	}
	dir := SlotKind.Folder(workspace)
	if g := SlotGroup(p); g != "" {
		dir = dir.Join(g)
	}
	return SlotKind.FileFor(dir, p.placeName())
}
