package txn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A record is a line that names its version and the SHA-256 of all that follows, which is JSON:
//
//	arbor-journal 1 <64 hex digits>
//	{"steps": [...]}
const (
	recordMagic   = "arbor-journal"
	recordVersion = 1
	recordExt     = ".json"
)

type record struct {
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

func encodeRecord(steps []*step) ([]byte, error) {
	body, err := json.Marshal(record{steps})
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	sum := sha256.Sum256(body)
	return fmt.Appendf(nil, "%s %d %s\n%s", recordMagic, recordVersion, hex.EncodeToString(sum[:]), body), nil
}

// decodeRecord returns the steps of a whole record. The error is errTorn, or a *NewerError without its path.
func decodeRecord(data []byte) ([]*step, error) {
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
	sum := sha256.Sum256(body)
	if len(words) != 3 || words[1] != strconv.Itoa(recordVersion) || words[2] != hex.EncodeToString(sum[:]) {
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
	return r.Steps, nil
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

// draft writes the record of a commit under a name that decides nothing. It is to be made durable with the temporaries that the record names.
func (c *Committer) draft(steps []*step) (mdstore.Path, error) {
	data, err := encodeRecord(steps)
	if err != nil {
		return "", err
	}
	set := dirs{}
	if err := c.mkdirAll(set, JournalDir); err != nil {
		return "", err
	}
	if !c.durable[JournalDir] {
		if err := c.sync(set); err != nil {
			return "", err
		}
	}
	t := JournalDir.Join(TempPrefix + c.token())
	return t, c.FS.Create(t, data, "")
}

// decide gives the draft of a record its name. When it returns a path, the commit is decided; when it returns an error other
// than *mdstore.UnfinishedError, it is not, and nothing is left of it.
func (c *Committer) decide(steps []*step, draft mdstore.Path) (mdstore.Path, error) {
	undo := func(err error) (mdstore.Path, error) {
		c.unstage(steps)
		return "", fmt.Errorf("nothing was changed: %w", err)
	}
	rec := JournalDir.Join(strings.TrimPrefix(draft.Base(), TempPrefix) + recordExt)
	if err := c.FS.RenameNew(draft, rec); err != nil {
		_ = c.FS.Remove(draft)
		return undo(err)
	}
	if err := c.FS.SyncDir(JournalDir); err != nil {
		// Whether the record would survive is not known: it is taken back.
		if gone := c.FS.Remove(rec); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			return "", &mdstore.UnfinishedError{Err: errors.Join(err, gone)}
		}
		_ = c.FS.SyncDir(JournalDir) // Recover does it again
		return undo(err)
	}
	return rec, nil
}
