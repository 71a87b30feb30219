package mdstore

import (
	"slices"
	"strings"
)

// CopyOf returns the page of all that p is a sync program's copy of, or nil: a file beside p with the same id and name,
// whose file name p's begins or ends with. Copies are known by this form, whatever the program.
func CopyOf(p *Page, all []*Page) *Page {
	id := p.Field(KeyID)
	i := slices.IndexFunc(all, func(o *Page) bool {
		return id != "" && o.Field(KeyID) == id && o.Path.Dir() == p.Path.Dir() &&
			o.Field(KeyName) == p.Field(KeyName) && CopyName(p.Path.Base(), o.Path.Base())
	})
	if i < 0 {
		return nil
	}
	return all[i]
}

// CopyName reports whether a file name can be that of a copy of another file.
func CopyName(name, of string) bool {
	plain := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, Zipped), ".md") }
	name, of = plain(name), plain(of)
	return len(name) > len(of) && (strings.HasPrefix(name, of) || strings.HasSuffix(name, of))
}

// systemFolders are folders that servers and operating systems make anywhere.
var systemFolders = []string{"@eaDir", "#recycle", "#snapshot", "@Recycle", "@Recently-Snapshot", "lost+found",
	"$RECYCLE.BIN", "System Volume Information"}

// LeftAlone reports whether a folder of that name is no part of a vault: it is hidden, or of the system.
func LeftAlone(folder string) bool {
	return strings.HasPrefix(folder, ".") || slices.Contains(systemFolders, folder)
}
