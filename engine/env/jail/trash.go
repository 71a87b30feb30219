package jail

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"arbor/mdstore/guard"
)

// A kept is the note in the trash about a change.
type kept struct {
	Root   string      `json:"root"`
	Path   string      `json:"path"`
	Mode   fs.FileMode `json:"mode"`
	Before bool        `json:"before"` // there was a file; its bytes are in a file beside this one
	After  Version     `json:"after"`  // "" for a file that was deleted
}

const (
	keptFile    = "change.json"
	keptContent = "content"
)

// keep writes the bytes that a change removes to the trash, durably, and returns their id.
func (r *Root) keep(c *Change) (id string, err error) {
	if r.opt.Trash == "" {
		return "", errors.New("there is no trash")
	}
	id = strings.ToLower(rand.Text()[:8])
	dir := filepath.Join(r.opt.Trash, id)
	if err := os.MkdirAll(r.opt.Trash, 0o700); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	about, err := json.Marshal(kept{r.dir, c.Path, c.mode, c.Before != nil, c.Now()})
	if err == nil && c.Before != nil {
		err = writeSynced(filepath.Join(dir, keptContent), c.Before)
	}
	if err == nil {
		err = writeSynced(filepath.Join(dir, keptFile), about)
	}
	return id, err
}

func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// PlanUndo plans to undo a change: Apply gives the file its earlier bytes, if it is still as the change left it. open
// opens the root in which the change was made; the caller must close it.
func PlanUndo(trash, id string, open func(root string) (*Root, error)) (r *Root, c *Change, err error) {
	dir := filepath.Join(trash, id)
	about, err := guard.ReadFile(dir, keptFile, maxFile)
	var k kept
	switch {
	case strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || errors.Is(err, fs.ErrNotExist):
		return nil, nil, refuse(InvalidParams, "%q: no change has this id", id)
	case err == nil:
		err = json.Unmarshal(about, &k)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the change %s cannot be read: %w", id, err)
	}
	r, err = open(k.Root)
	if err != nil {
		return nil, nil, err
	}
	opened := r
	defer func() {
		if err != nil {
			opened.Close()
		}
	}()
	if c, err = r.plan(k.Path); err != nil {
		return nil, nil, err
	}
	if c.Was != k.After {
		return nil, nil, refuse(Conflict, "%q in %s is not as the change left it; what stood there before lies in %s",
			k.Path, k.Root, filepath.Join(dir, keptContent))
	}
	if k.Before {
		c.mode = k.Mode
		if c.After, err = guard.ReadFile(dir, keptContent, maxFile); err != nil {
			return nil, nil, err
		}
	}
	return r, c, nil
}
