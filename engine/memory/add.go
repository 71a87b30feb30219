package memory

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// Add returns what is to be added to a slot so that it has the entries of more as well. Those that it has, with the same id
// and text, are left out; one whose id another text has gets a new id, the same each time.
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
	ms := max(0, e.Time.UnixMilli())
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + e.Text))
	tail := strconv.FormatUint(1<<60|binary.BigEndian.Uint64(sum[:])>>4, 36)
	return mdstore.ID(fmt.Sprintf("entry-%08s-%s", strconv.FormatInt(ms, 36), tail[len(tail)-6:]))
}

// unpacked returns the text of a content that memcord wrote: the text, or gzip in base64, once or several times. The bytes
// tell which it is; marked is what the file says, and counts only where they are damaged.
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
		var text []byte
		const most = mdstore.MaxEntry * 3 / 2 // of gzip in base64 that may be within
		if err == nil {
			text, err = gunzip(packed, most+1)
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

// gunzip returns the text that gzip compressed, its first bytes if there are more than most.
func gunzip(packed []byte, most int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, most))
}
