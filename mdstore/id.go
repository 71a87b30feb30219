package mdstore

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An ID names a node within its workspace, or a workspace within its vault.
type ID string

// Root is the id of every workspace's root node.
const Root ID = "root"

// DefaultWorkspace is the id of the workspace of calls that mean none, which is made when it is first needed.
const DefaultWorkspace ID = "default"

// MaxID is the greatest length of an id in bytes.
const MaxID = 128

// Valid reports whether id may be used: one to 128 of letters, digits, '.', '_' and '-', not starting with a dot.
// Ids that people chose are as good as generated ones.
func (id ID) Valid() bool {
	if id == "" || len(id) > MaxID || id[0] == '.' {
		return false
	}
	for i := range len(id) {
		if !IDByte(id[i]) {
			return false
		}
	}
	return true
}

// IDByte reports whether ids may hold the byte.
func IDByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}

// Generated reports whether id has the form of NewID's, with a time of this age: eight base-36 digits have lasted since
// 1972, nine will last longer than anybody.
func (id ID) Generated(prefix string) bool {
	rest, ok := strings.CutPrefix(string(id), prefix+"-")
	t, r, two := strings.Cut(rest, "-")
	return ok && two && (len(t) == 8 || len(t) == 9) && len(r) == 6 && strings.Trim(t+r, base36) == ""
}

// shortID is how many characters at the end of a generated id name it.
const shortID = 6

// Short returns the last characters of a generated id, which are random; "" for an id that somebody chose.
func (id ID) Short() string {
	if i := strings.IndexByte(string(id), '-'); i < 0 || !id.Generated(string(id[:i])) {
		return ""
	}
	return string(id[len(id)-shortID:])
}

// Folder reports whether a folder has a name that is made for the id: the id, or a title and the short id.
func (id ID) Folder(name string) bool {
	return name == string(id) || id.Short() != "" && strings.HasSuffix(name, "-"+id.Short())
}

const base36 = "0123456789abcdefghijklmnopqrstuvwxyz"

// NewID returns an id of the form prefix-t-r: t is ms, the Unix time in milliseconds, in base 36, and r are six random
// base-36 characters read from random. It fails only when random does.
func NewID(prefix string, ms int64, random io.Reader) (ID, error) {
	id := prefix + "-" + strconv.FormatInt(ms, 36) + "-"
	var one [1]byte
	for n := 0; n < 6; {
		if _, err := io.ReadFull(random, one[:]); err != nil {
			return "", fmt.Errorf("no randomness for an id: %w", err)
		}
		if one[0] < 252 { // 7*36: the rest would favour the first characters
			id += base36[one[0]%36 : one[0]%36+1]
			n++
		}
	}
	return ID(id), nil
}
