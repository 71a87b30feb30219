package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"arbor/mdstore"
)

// folderMost is how many characters of a title the name of a folder has.
const folderMost = 40

// newFile returns the path of a new node's file. Its folder is named by the id or, if the options say so and the name
// is free, by the title with the short id.
func newFile(d *Draft, id mdstore.ID, title string) mdstore.Path {
	dir := d.View.Workspace().Dir
	if name := slug(title); d.opt.TitleFolders && name != "" && id.Short() != "" {
		folder := mdstore.NodeKind.Folder(dir).Join(name + "-" + id.Short())
		if !occupied(d.View, folder) {
			return mdstore.NodeKind.File(folder)
		}
	}
	return mdstore.NodePath(dir, id)
}

// slug returns the words of a title in lower case with dashes between them: the letters and digits of any script. A
// title that is too long is cut behind a word.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	})
	out, left := "", folderMost
	for _, w := range words {
		n := utf8.RuneCountInString(w)
		if out == "" && n > left {
			return string([]rune(w)[:left])
		}
		if left -= n; left < 0 {
			break
		}
		if left--; out != "" {
			w = "-" + w
		}
		out += w
	}
	return out
}
