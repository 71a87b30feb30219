package journal

import (
	"encoding/hex"
	"path"
	"strings"

	"arbor/mdstore"
)

// TempPrefix starts the names of the temporary files that a commit makes beside its targets.
const TempPrefix = mdstore.TempPrefix

// A temp is what the name of a temporary file says. While a file is replaced, its temporary holds first the new bytes
// and then those that were displaced. The name has the versions of both, so that it is known after a crash whether a
// temporary holds a save.
type temp struct {
	after, before string // 16 hex digits of the version; zeros for no file
	target        string // the last element of the file's path
}

const noFile = "0000000000000000"

func digits(v mdstore.Version) string {
	if v.IsZero() {
		return noFile
	}
	return v.String()
}

// tempPath returns the name of a temporary file in dir that takes part in changing p.
func tempPath(dir, p mdstore.Path, before, after []byte, token string) mdstore.Path {
	target := p.Base()
	if len(target) > 180 { // 255 bytes are the limit of most file systems
		target = ""
	}
	return dir.Join(TempPrefix + digits(version(after)) + "-" + digits(version(before)) + "-" + token + "-" + target)
}

func parseTemp(name string) (t temp, ok bool) {
	rest, ok := strings.CutPrefix(name, TempPrefix)
	parts := strings.SplitN(rest, "-", 4)
	if !ok || len(parts) != 4 || len(parts[0]) != 16 || len(parts[1]) != 16 {
		return temp{}, false
	}
	return temp{after: parts[0], before: parts[1], target: parts[3]}, true
}

// ConflictMark separates the name of a file from the version in the name of a conflict copy.
const ConflictMark = ".conflict-"

// conflictPaths returns the paths for a conflict copy of p that holds data, the preferred one first:
// Node.conflict-1a2b3c4d.md for Node.md, then names with more digits.
func conflictPaths(p mdstore.Path, data []byte) []mdstore.Path {
	ext := path.Ext(p.Base())
	stem := p[:len(p)-len(ext)] + ConflictMark
	v := version(data)
	sum := hex.EncodeToString(v[:])
	var out []mdstore.Path
	for _, n := range []int{8, 16, 32, 64} {
		out = append(out, stem+mdstore.Path(sum[:n]+ext))
	}
	return out
}

// nodeFolder reports whether p is the Node.md of a folder below nodes/. Removing such a file also removes its folder if
// that is then empty.
func nodeFolder(p mdstore.Path) bool {
	_, in := mdstore.NodeKind.Top(mdstore.WorkspaceDir(p), p)
	return in && mdstore.AllKinds().Of(p) == mdstore.NodeKind
}

// own reports whether only stores themselves make and remove what is at p.
func own(p mdstore.Path) bool {
	const local = mdstore.Path(mdstore.LocalDir)
	return p == local || p == local.Join("lock") || p == local.Join("generation") || p.Under(Dir) || p.Under(DisplacedDir) ||
		strings.HasPrefix(p.Base(), TempPrefix)
}
