package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A record is a line that names its version and the SHA-256 of the JSON that follows:
//
//	arbor-journal 3 <64 hex digits>
//	{"steps": [...]}
//
// Records of versions 1 and 2 were never released; they are removed unread, as torn ones are.
const (
	recordMagic   = "arbor-journal"
	recordVersion = 3
	recordExt     = ".json"
)

// errTorn says that a record is incomplete. Its commit was never decided, so no file was changed.
var errTorn = errors.New("record is not whole")

func encodeRecord(steps []*step) []byte {
	body, err := json.Marshal(map[string][]*step{"steps": steps})
	if err != nil {
		panic(err) // a step is strings and bytes
	}
	return fmt.Appendf(nil, "%s %d %x\n%s", recordMagic, recordVersion, sha256.Sum256(body), body)
}

// decodeRecord returns the steps of a complete record. The error is errTorn, unless a newer version of Arbor wrote the
// record.
func decodeRecord(data []byte) ([]*step, error) {
	head, body, _ := bytes.Cut(data, []byte("\n"))
	words := strings.Split(string(head), " ")
	if len(words) < 2 || words[0] != recordMagic {
		return nil, errTorn
	}
	if v, err := strconv.Atoi(words[1]); err == nil && v > recordVersion {
		return nil, fmt.Errorf("an unfinished commit of a newer version of arbor (journal version %d, known up to %d): "+
			"open the vault with that version once", v, recordVersion)
	}
	if len(words) != 3 || words[1] != strconv.Itoa(recordVersion) || words[2] != fmt.Sprintf("%x", sha256.Sum256(body)) {
		return nil, errTorn
	}
	var r struct{ Steps []*step }
	if json.Unmarshal(body, &r) != nil {
		return nil, errTorn
	}
	for _, s := range r.Steps {
		if s == nil || !s.sound() {
			return nil, errTorn
		}
	}
	return r.Steps, nil
}

// sound reports whether compare could have made the step. The checksum only says that the record is complete, not who
// wrote it.
func (s *step) sound() bool {
	if !s.Path.Valid() || own(s.Path) {
		return false
	}
	if s.Do != move && (!s.Temp.Valid() || !strings.HasPrefix(s.Temp.Base(), TempPrefix)) {
		return false
	}
	switch s.Do {
	case write:
		return s.New != nil && int64(len(s.New)) <= mdstore.MaxSize(s.Path)
	case remove:
		return s.Base != nil
	case move:
		return s.To.Valid() && !own(s.To) && !s.To.Under(s.Path) && !s.Path.Under(s.To)
	}
	return false
}
