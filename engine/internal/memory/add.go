package memory

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// Add returns the entries of more that a slot lacks. Entries with the same id and text are left out. If the slot has
// another text under an id, the entry gets a new id, always the same one.
func Add(have, more []mdstore.SlotEntry) (add []mdstore.SlotEntry) {
	texts := map[mdstore.ID]string{}
	for _, e := range have {
		texts[e.ID] = e.Text
	}
	for _, e := range more {
		text, taken := texts[e.ID]
		for n := 0; e.ID == "" || taken && text != e.Text; n++ {
			e.ID = idOf(e, n)
			text, taken = texts[e.ID]
		}
		if !taken {
			texts[e.ID] = e.Text
			add = append(add, e)
		}
	}
	return add
}

// idOf returns an id that an entry's time and text make, the n-th of them.
func idOf(e mdstore.SlotEntry, n int) mdstore.ID {
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + e.Text))
	// "" if it has too few bytes that count
	id, _ := mdstore.NewID("entry", max(0, e.Time.UnixMilli()), bytes.NewReader(sum[:]))
	return id
}

// unpacked returns the text of a content that memcord wrote: plain, or compressed with gzip in base64, once or several
// times. The bytes tell which. marked, the file's own statement, counts only if the bytes are damaged.
func unpacked(content string, marked bool) (string, error) {
	for range 8 {
		const start = "H4sI" // base64 of the first bytes of gzip
		if !strings.HasPrefix(content, start) && !strings.HasPrefix(content, "\x1f\x8b\x08") {
			break
		}
		packed := []byte(content)
		var err error
		if strings.HasPrefix(content, start) {
			packed, err = base64.StdEncoding.DecodeString(strings.TrimSpace(content))
		}
		const most = mdstore.MaxEntry * 3 / 2 // bytes of gzip in base64 that may hold a text
		var text []byte
		if r, wrong := gzip.NewReader(bytes.NewReader(packed)); err == nil && wrong == nil {
			text, err = io.ReadAll(io.LimitReader(r, most+1))
		} else {
			err = cmp.Or(err, wrong)
		}
		switch {
		case err != nil && marked:
			return "", fmt.Errorf("its content is compressed and damaged: %w", err)
		case err != nil:
			return content, nil
		case len(text) > most:
			return "", fmt.Errorf("its text has more than %d MiB", mdstore.MaxEntry>>20)
		}
		content, marked = string(text), false
	}
	return content, nil
}
