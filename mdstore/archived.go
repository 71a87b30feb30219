package mdstore

import (
	"strings"
	"time"

	"arbor/mdstore/mdoc"
)

// An ArchiveNote says how a slot came into the archive. It lies beside the slot's file there, and is no document of a kind. What a note
// does not say is zero.
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

// ParseNote reads a note. One that is missing or damaged says nothing, or what could be read of it.
func ParseNote(data []byte) (n ArchiveNote) {
	_ = mdoc.DecodeTOML(data, &n) // the place of the slot's file tells enough
	return n
}

// Bytes returns the note as it is stored.
func (n ArchiveNote) Bytes() ([]byte, error) {
	n.Reason = strings.ToValidUTF8(n.Reason, "\uFFFD")
	return mdoc.EncodeTOML(n)
}

// Home returns where the file of an archived slot goes when it is restored: its former place, or else what its place in the archive tells.
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
