package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// The keys of git's configuration for the merge driver, and its name for people.
const (
	driverSection = "merge.arbor"
	driverKey     = driverSection + ".driver"
	driverName    = "semantic merge of Arbor's files"
)

// AttributesFile is the file in the folder that names the driver.
const AttributesFile = ".gitattributes"

// attributes are the lines of AttributesFile that are Arbor's. Other lines are a person's.
var attributes = []string{"*.md merge=arbor -text", "*.md.gz merge=arbor -diff -text"}

// Attributes returns the content of AttributesFile with Arbor's lines, or without them; nil if no line is left.
func Attributes(data []byte, with bool) []byte {
	var own, others []string
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) < 2 || f[1] != "merge=arbor" {
			others = append(others, strings.TrimRight(line, "\r\n")+"\n")
		}
	}
	if with {
		for _, line := range attributes {
			own = append(own, line+"\n")
		}
	}
	if len(own)+len(others) == 0 {
		return nil
	}
	return []byte(strings.Join(others, "") + strings.Join(own, ""))
}

// AsksDriver reports whether the content of AttributesFile names the driver.
func AsksDriver(data []byte) bool { return strings.Contains(string(data), "merge=arbor") }

// DriverCommand returns the command line for git to run as the driver. Git replaces placeholders such as %A, and gives
// the line to a shell.
func DriverCommand(program string) string {
	quoted := "'" + strings.ReplaceAll(filepath.ToSlash(program), "'", `'\''`) + "'"
	return strings.ReplaceAll(quoted, "%", "%%") + " merge-driver %O %A %B %L %P"
}

// DriverProgram returns the program of a driver's command line, and whether it is there.
func DriverProgram(command string) (program string, there bool) {
	var b strings.Builder
	quoted := false
scan:
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			quoted = !quoted
		case c == '\\' && !quoted && i+1 < len(command):
			i++
			b.WriteByte(command[i])
		case c == ' ' && !quoted:
			break scan
		case c != '"' || quoted:
			b.WriteByte(c)
		}
	}
	program = strings.ReplaceAll(b.String(), "%%", "%")
	_, err := exec.LookPath(program)
	return program, err == nil
}

// Passing reports whether a program lies in the system's folder for temporary files.
func Passing(program string) bool {
	rel, err := filepath.Rel(os.TempDir(), program)
	return err == nil && filepath.IsLocal(rel)
}

// ConfigFile is the file that holds the repository's own configuration, which all its working trees share.
func ConfigFile(r *Repo) string { return filepath.Join(r.Common, "config") }

// SetDriver sets the command line of the merge driver in the repository's own configuration; "" removes it. It returns
// the old and the new bytes of the file. With dry it writes nothing.
func SetDriver(ctx context.Context, r *Repo, command string, dry bool) (was, is []byte, err error) {
	was, err = guard.ReadFile(r.Common, "config", mdstore.MaxFileSize)
	if err != nil {
		return nil, nil, err
	}
	file := ConfigFile(r)
	if dry {
		dir, err := os.MkdirTemp("", "arbor-")
		if err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "config")
		if err := os.WriteFile(file, was, 0o600); err != nil {
			return nil, nil, err
		}
	}
	steps := [][]string{{driverSection + ".name", driverName}, {driverKey, command}}
	if command == "" {
		steps = [][]string{{"--remove-section", driverSection}}
	}
	for _, args := range steps {
		_, err := r.Run(ctx, nil, append([]string{"config", "--file", file}, args...)...)
		failed, ok := errors.AsType[*Error](err)
		if err != nil && !(ok && command == "" && strings.Contains(failed.Stderr, "no such section")) {
			return nil, nil, err
		}
	}
	is, err = guard.ReadFile(filepath.Dir(file), "config", mdstore.MaxFileSize)
	return was, is, err
}

// Ignored reports whether git leaves the folder out as a whole.
func Ignored(ctx context.Context, r *Repo) bool {
	args := within(r, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	out, err := r.Run(ctx, nil, args...)
	return err == nil && slices.ContainsFunc(strings.Split(string(out), "\x00"), func(name string) bool {
		return name != "" && strings.HasPrefix(r.Prefix, name)
	})
}

// MergeLines makes one file of three by git's merge of lines, in the file ours, and returns how git ended: 0 for a
// clean merge, from 1 to 127 for conflicts. It needs no repository.
func MergeLines(ctx context.Context, ours, base, theirs string, size int, labels [3]string) int {
	args := []string{"merge-file", "--marker-size=" + strconv.Itoa(size)}
	for _, l := range labels {
		args = append(args, "-L", l)
	}
	r := &Repo{}
	_, err := r.Run(ctx, nil, append(args, "--", ours, base, theirs)...)
	failed, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return 0
	case ok && failed.Code > 0 && failed.Code < 128:
		return failed.Code
	}
	return 1 // as git does for binary files: ours stays, and the index has a conflict
}
