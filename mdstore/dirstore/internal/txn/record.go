package txn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A record is a line that names its version, the SHA-256 of the JSON that follows, and how many bytes that has:
//
//	arbor-journal 2 <64 hex digits> <length>
//	{"steps": [...]}
//
// What comes behind it is of an earlier record. Version 1 names no length, as nothing does.
const (
	recordMagic   = "arbor-journal"
	recordVersion = 2
	recordExt     = ".json"

	noRecord = recordMagic + " none\n" // a file that begins so holds no record
)

type record struct {
	Boot  string  `json:"boot,omitempty"` // the run of the system in which the steps were staged; "" where that is not known
	Steps []*step `json:"steps"`
}

// A NewerError says that a record was written by a newer version of this
// program, which alone knows how to finish it.
type NewerError struct {
	Path    mdstore.Path
	Version int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s: an unfinished commit of a newer version of arbor (journal version %d, known up to %d): open the vault with that version once",
		e.Path, e.Version, recordVersion)
}

// errTorn says that a record is not whole. It was never decided, so no file was touched.
var errTorn = errors.New("record is not whole")

func encodeRecord(r record) ([]byte, error) {
	const room = 128 // of the first line, which is known last
	buf := bytes.NewBuffer(make([]byte, room))
	if err := json.NewEncoder(buf).Encode(r); err != nil {
		return nil, err
	}
	all := buf.Bytes()
	sum := sha256.Sum256(all[room:])
	head := fmt.Sprintf("%s %d %s %d\n", recordMagic, recordVersion, hex.EncodeToString(sum[:]), len(all)-room)
	all = all[room-len(head):]
	copy(all, head)
	return all, nil
}

// decodeRecord returns a whole record. The error is errTorn, or a *NewerError without its path.
func decodeRecord(data []byte) (*record, error) {
	head, body, ok := bytes.Cut(data, []byte("\n"))
	words := strings.Split(string(head), " ")
	if !ok || len(words) < 2 || words[0] != recordMagic {
		return nil, errTorn
	}
	if v, err := strconv.Atoi(words[1]); err != nil {
		return nil, errTorn
	} else if v > recordVersion {
		return nil, &NewerError{Version: v}
	}
	switch {
	case words[1] == "1" && len(words) == 3:
	case words[1] == "2" && len(words) == 4:
		n, err := strconv.Atoi(words[3])
		if err != nil || n < 0 || n > len(body) {
			return nil, errTorn
		}
		body = body[:n]
	default:
		return nil, errTorn
	}
	if sum := sha256.Sum256(body); words[2] != hex.EncodeToString(sum[:]) {
		return nil, errTorn
	}
	var r record
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, errTorn
	}
	for _, s := range r.Steps {
		if s == nil || !s.sound() {
			return nil, errTorn
		}
	}
	return &r, nil
}

// sound reports whether a step is one that Prepare could have made. The checksum only says that the record is whole, not who wrote it.
func (s *step) sound() bool {
	if !s.Path.Valid() || own(s.Path) {
		return false
	}
	if s.Do != move && (!s.Temp.Valid() || !strings.HasPrefix(s.Temp.Base(), TempPrefix)) {
		return false
	}
	switch s.Do {
	case write:
		return s.New != nil && len(s.New) <= mdstore.MaxFileSize
	case remove:
		return s.Base != nil
	case move:
		return s.To.Valid() && !own(s.To) && !s.To.Under(s.Path) && !s.Path.Under(s.To)
	}
	return false
}
