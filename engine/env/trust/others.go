package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"time"
)

// Others returns the books of the other vaults whose pages this person opened in the last days, or that a server shows.
// Books that cannot be read, and those of vaults that are gone, are left out.
func (s *Store) Others(now time.Time) (all []*Book) {
	entries, _ := os.ReadDir(s.dir) // without the folder there are none
	for _, e := range entries {
		if e.Name() == s.name || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		b, err := (&Store{dir: s.dir, name: e.Name()}).read()
		if err != nil || nameOf(b.Vault) != e.Name() || !b.opened(now) {
			continue
		}
		if info, err := os.Stat(b.Vault); err == nil && info.IsDir() {
			all = append(all, b)
		}
	}
	return all
}

// opened reports whether a server shows the page, or a tab was opened in the last days.
func (b *Book) opened(now time.Time) bool {
	for _, t := range b.Tabs {
		if now.Before(t.Until) {
			return true
		}
	}
	return b.Page != nil
}

// nameOf returns the name of the file for a vault, whose path has no links.
func nameOf(vault string) string {
	sum := sha256.Sum256([]byte(vault))
	return hex.EncodeToString(sum[:8]) + ".json"
}
