package app

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/guard"
	"arbor/mdstore/merge"
)

// driverWord is the command that git runs as the merge driver. It opens no vault: in the middle of a merge there may be
// half of one.
const driverWord = "merge-driver"

const markSize = 7 // the length of conflict marks if git names none

// mergeDriver merges three versions of a file, as gitattributes(5) defines: args are %O %A %B %L %P, and the result
// goes to %A. The code is 0 for a clean merge and 1 with conflicts. If Arbor cannot merge the file, git merges its
// lines, and the code is git's, below 128.
func mergeDriver(ctx context.Context, sys cli.System, args []string) (code int) {
	base, ours, theirs, path := args[0], args[1], args[2], args[4]
	size, err := strconv.Atoi(args[3])
	if err != nil || size < 1 {
		size = markSize
	}
	labels := [3]string{"ours", "base", "theirs"}
	asLines := func(why any) int {
		fmt.Fprintf(sys.Stderr, "arbor: %s: %v; git merges its lines\n", path, why)
		return gitrepo.MergeLines(ctx, ours, base, theirs, size, labels)
	}
	defer func() {
		if p := recover(); p != nil {
			code = asLines(p)
		}
	}()
	var texts [3][]byte
	for i, name := range []string{base, ours, theirs} {
		var err error
		if texts[i], err = guard.ReadFile(filepath.Dir(name), filepath.Base(name), mdstore.MaxSlot); err != nil {
			return asLines(err)
		}
	}
	if len(texts[0]) == 0 {
		texts[0] = nil // both sides made the file
	}
	opt := merge.Options{Ours: labels[0], Theirs: labels[2], Size: size}
	r, err := merge.Merge(inVault(path), texts[0], texts[1], texts[2], opt)
	if err != nil {
		return asLines(err)
	}
	if !bytes.Equal(r.Bytes, texts[1]) {
		if err := os.WriteFile(ours, r.Bytes, 0o666); err != nil {
			return asLines(err)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(sys.Stderr, "arbor: %s: %s\n", path, strings.ReplaceAll(note, "\n", " "))
	}
	if len(r.Conflicts) > 0 {
		return 1
	}
	return 0
}

// inVault returns the path, in its vault, of a file that git names relative to the top of the repository: the part
// after a folder with the usual name of a vault, or else the longest end of the path that the table of kinds knows. It
// looks at no file of the vault, because in the middle of a merge files may be missing.
func inVault(name string) mdstore.Path {
	if i := strings.LastIndex("/"+name, "/"+mdstore.DefaultVault+"/"); i >= 0 {
		return mdstore.Path(name[i+len(mdstore.DefaultVault)+1:])
	}
	for rest := name; ; {
		if mdstore.AllKinds().Of(mdstore.Path(rest)) != nil {
			return mdstore.Path(rest)
		}
		_, below, ok := strings.Cut(rest, "/")
		if !ok {
			return mdstore.Path(name)
		}
		rest = below
	}
}

// driverCommand describes the driver for help and documentation. run calls mergeDriver before it makes any command.
func driverCommand() cli.Command {
	return cli.Command{
		Use: driverWord + " BASE OURS THEIRS SIZE PATH", Short: "What git runs to merge a file of a vault",
		Hidden: true, Protocol: true,
		Long: `Git runs this command when both sides changed a file of the vault, after arbor
admin git install. It merges the three files by field, by section, and by entry
of logs and lists. The result is written to OURS. The exit code is 0 for a clean
merge and 1 if the result has conflicts, which arbor conflicts lists. A file
that Arbor cannot parse is merged line by line, as git does. It opens no vault.`,
		Example: `arbor admin git install`,
		Run:     func(context.Context, cli.Call) error { return nil },
	}
}
