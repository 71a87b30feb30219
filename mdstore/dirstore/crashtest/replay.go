package crashtest

import (
	"errors"
	"io/fs"
	"strings"

	"arbor/mdstore"
)

// replays are the calls that the model has. A call outside of the vault changes nothing.
var replays = map[string]func(tr *Trace, c Call) (bool, error){
	"open":      func(tr *Trace, c Call) (bool, error) { return tr.open(c, 0) },
	"openat":    func(tr *Trace, c Call) (bool, error) { return tr.open(c, 1) },
	"openat2":   (*Trace).opened,
	"creat":     func(tr *Trace, c Call) (bool, error) { return tr.open(c, 0) },
	"write":     (*Trace).write,
	"pwrite64":  (*Trace).write,
	"ftruncate": (*Trace).truncate,
	"fsync":     (*Trace).sync,
	"fdatasync": (*Trace).sync,
	"mkdir":     func(tr *Trace, c Call) (bool, error) { return tr.mkdir(c, 0) },
	"mkdirat":   func(tr *Trace, c Call) (bool, error) { return tr.mkdir(c, 1) },
	"unlink":    func(tr *Trace, c Call) (bool, error) { return tr.remove(c, 0) },
	"rmdir":     func(tr *Trace, c Call) (bool, error) { return tr.remove(c, 0) },
	"unlinkat":  func(tr *Trace, c Call) (bool, error) { return tr.remove(c, 1) },
	"rename":    func(tr *Trace, c Call) (bool, error) { return tr.rename(c, 0, 1) },
	"renameat":  func(tr *Trace, c Call) (bool, error) { return tr.rename(c, 1, 3) },
	"renameat2": func(tr *Trace, c Call) (bool, error) { return tr.rename(c, 1, 3) },
}

func (tr *Trace) open(c Call, i int) (bool, error) {
	tr.offsets[c.Return] = 0
	p, in := tr.at(c, i)
	if !in {
		return false, nil
	}
	flags := Arg{Text: "O_CREAT|O_TRUNC"} // the flags of creat
	if c.Name != "creat" {
		flags = c.Args[i+1]
	}
	if flags.Has("O_APPEND") {
		tr.offsets[c.Return] = -1
	}
	info, err := tr.model.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flags.Has("O_CREAT"), err == nil && info.Size > 0 && flags.Has("O_TRUNC"):
		tr.save(p, []byte{})
		return true, nil
	}
	return false, err
}

// opened is openat2. It is an error if it creates, truncates or appends to a file of the vault.
func (tr *Trace) opened(c Call) (bool, error) {
	tr.offsets[c.Return] = 0
	how := c.Args[2].Text
	if _, in := tr.at(c, 1); in && (strings.Contains(how, "O_CREAT") || strings.Contains(how, "O_TRUNC") || strings.Contains(how, "O_APPEND")) {
		return false, errModel
	}
	return false, nil
}

// save copies the current bytes of a file into the model, not yet durable.
func (tr *Trace) save(p mdstore.Path, data []byte) {
	tr.model.Save(p, data)
	tr.model.Log = append(tr.model.Log, "write "+string(p))
	if p.Dir() == mdstore.LocalDir || p.Under(mdstore.LocalDir+"/record") {
		_ = tr.model.Sync(p) // files of .local/: that they may be torn only multiplies the states
	}
}

func (tr *Trace) write(c Call) (bool, error) {
	fd := c.Args[0].Int()
	at := tr.offsets[fd]
	if c.Name == "pwrite64" {
		at = c.Args[3].Int()
	} else if at >= 0 {
		tr.offsets[fd] += c.Return
	}
	p, in := tr.at(c, 0)
	if !in {
		return false, nil
	}
	data, _, err := tr.model.ReadFile(p, mdstore.MaxFileSize<<10)
	if err != nil {
		return false, err
	}
	if at < 0 {
		at = int64(len(data))
	}
	if end := at + c.Return; int64(len(data)) < end {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[at:], c.Args[1].Data[:c.Return])
	tr.save(p, data)
	return true, nil
}

func (tr *Trace) truncate(c Call) (bool, error) {
	p, in := tr.at(c, 0)
	if !in {
		return false, nil
	}
	data, _, err := tr.model.ReadFile(p, mdstore.MaxFileSize<<10)
	if size := c.Args[1].Int(); err != nil || size == int64(len(data)) {
		return false, err
	} else if size < int64(len(data)) {
		data = data[:size]
	} else {
		data = append(data, make([]byte, size-int64(len(data)))...)
	}
	tr.save(p, data)
	return true, nil
}

func (tr *Trace) sync(c Call) (bool, error) {
	p, in := tr.at(c, 0)
	if !in || tr.noSync {
		return false, nil
	}
	info, err := tr.model.Lstat(p)
	if err != nil {
		return false, err
	}
	if info.Mode.IsDir() {
		return true, tr.model.SyncDir(p)
	}
	return true, tr.model.Sync(p)
}

func (tr *Trace) mkdir(c Call, i int) (bool, error) {
	p, in := tr.at(c, i)
	if !in {
		return false, nil
	}
	return true, tr.model.Mkdir(p)
}

func (tr *Trace) remove(c Call, i int) (bool, error) {
	p, in := tr.at(c, i)
	if !in {
		return false, nil
	}
	return true, tr.model.Remove(p)
}

func (tr *Trace) rename(c Call, i, j int) (bool, error) {
	from, in := tr.at(c, i)
	to, also := tr.at(c, j)
	switch {
	case !in && !also:
		return false, nil
	case in != also:
		return false, errModel // a move into the vault or out of it
	}
	flags := Arg{}
	if c.Name == "renameat2" {
		flags = c.Args[4]
	}
	switch {
	case flags.Has("RENAME_EXCHANGE"):
		return true, tr.model.Exchange(from, to)
	case flags.Has("RENAME_NOREPLACE"):
		return true, tr.model.RenameNew(from, to)
	case flags.Text != "" && flags.Text != "0":
		return false, errModel
	}
	return true, tr.model.Rename(from, to)
}
