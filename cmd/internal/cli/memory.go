package cli

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/guard"
)

func memoryDeleteCommand(sh *shell) command {
	in := &ops.MemoryDeleteIn{}
	return confirmed(sh, in, &in.DryRun, ops.MemoryDelete, func(would *ops.MemoryDeleteOut) string {
		return "Move the slot " + would.Slot + " to the trash?"
	})
}

func memoryReadCommand(sh *shell) command {
	in := &ops.MemoryReadIn{}
	return command{in: in, show: showing(sh, showEntries), check: func(*cobra.Command) error {
		if entry, ok := strings.CutPrefix(in.Slot, " -"); ok { // without a slot: an entry of the session's current slot
			in.Slot, in.Entry = "", "-"+entry
		}
		return nil
	}}
}

// fromNewest returns the arguments with a space before a number such as -1 after "memory show", so that pflag does not
// take it for a flag. Such a number counts entries from the newest.
func fromNewest(args []string) []string {
	out := slices.Clone(args)
	reads := false
	for i, arg := range args {
		if i > 0 && (args[i-1] == "memory" || args[i-1] == "mem") {
			reads = slices.Contains([]string{"read", "show", "get"}, arg)
		}
		if _, err := strconv.ParseUint(strings.TrimPrefix(arg, "-"), 10, 31); err == nil && reads && arg[0] == '-' && args[i-1] != "-n" && args[i-1] != "--limit" {
			out[i] = " " + arg // pflag takes what begins with - for a flag
		}
	}
	return out
}

func showSlots(sh *shell, out *ops.MemoryListOut) error {
	var rows [][]cell
	for _, s := range out.Slots {
		name := s.Name
		if s.Group != "" {
			name = s.Group + "/" + name
		}
		about := s.Description
		if len(s.Tags) > 0 {
			about = strings.TrimSpace(about + "  #" + strings.Join(s.Tags, " #"))
		}
		if s.Problem != "" {
			about = s.Problem
		}
		if s.Reason != "" {
			about = s.Reason
		}
		at := ""
		if ms := cmp.Or(s.ArchivedAt, s.UpdatedAt); ms > 0 {
			at = timeOf(ms)
		}
		rows = append(rows, []cell{{text: name}, {text: strconv.Itoa(s.Entries)}, {text: at, sgr: "2"}, {text: about}})
	}
	return sh.listed("slots", []string{"SLOT", "ENTRIES", "UPDATED", "ABOUT"}, rows, out.Listed)
}

func showSizes(sh *shell, out *ops.MemoryCompressOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	if len(out.Slots) > 0 && out.Slots[0].Path != "" { // the result of compressing slots
		for _, s := range out.Slots {
			if s.Kept != "" {
				sh.say("%s stays as it is: %s", s.Slot, s.Kept)
			}
		}
		if !out.Changed {
			return nil
		}
		return sh.wrote(out, out.Wrote, "")
	}
	var rows [][]cell
	for _, s := range out.Slots {
		rows = append(rows, []cell{{text: s.Slot}, {text: strconv.Itoa(s.OriginalSize)}, {text: strconv.Itoa(s.CompressedSize)}, {text: s.Kept, sgr: "2"}})
	}
	return sh.bounded(sh.table([]string{"SLOT", "BYTES", "COMPRESSED", ""}, rows), "lines")
}

func showEntries(sh *shell, out *ops.MemoryReadOut) error {
	var all []string
	if out.Above != "" {
		all = append(all, out.Above+"\n")
	}
	for _, e := range out.Entries {
		head := []string{e.Type, inUTC(e.Time), e.Title}
		if e.ID != "" {
			head = append([]string{e.ID}, head...)
		}
		text := strings.Join(strings.Fields(strings.Join(head, " ")), " ") + "\n"
		for _, key := range slices.Sorted(maps.Keys(e.Metadata)) {
			text += fmt.Sprintf("%s: %v\n", key, e.Metadata[key])
		}
		all = append(all, text+"\n"+e.Text+"\n")
	}
	return sh.onScreen(render.VisibleLines(strings.Join(all, "\n")))
}

// showExport prints an export: the exact bytes, unless stdout is a terminal.
func showExport(sh *shell, out *ops.MemoryExportOut) error {
	switch {
	case out.Path != "":
		return sh.print(render.Visible(out.Path))
	case !sh.term.out:
		return sh.print(out.Text)
	}
	return sh.onScreen(render.VisibleLines(out.Text))
}

// memoryImportCommand reads the files itself: a person names any on this machine.
func memoryImportCommand(sh *shell) command {
	in := &ops.MemoryImportIn{}
	return command{in: in, instead: func(context.Context) (done bool, err error) {
		for _, source := range in.Source {
			at := resolve(sh.dir(), source)
			names, found, err := filesToImport(at)
			if err != nil {
				return false, unreadable(source, err)
			}
			for _, name := range names {
				data, err := guard.ReadFile(filepath.Dir(name), filepath.Base(name), mdstore.MaxSlot)
				if err != nil {
					return false, unreadable("the file", err)
				}
				in.Files = append(in.Files, ops.ImportFile{Name: name, Data: data, Found: found})
			}
			if in.Files == nil {
				in.Files = []ops.ImportFile{}
			}
		}
		return false, nil
	}, show: showing(sh, func(sh *shell, out *ops.MemoryImportOut) error {
		err := sh.wrote(out, out.Wrote, "")
		for _, s := range out.Slots {
			in := ""
			if s.Archived {
				in = " (archived)"
			}
			sh.say("%s%s: %d added, %d there already", s.Slot, in, s.Added, s.Already)
		}
		return err
	})}
}

// filesToImport returns the files that a path stands for. found says that it is a folder or a pattern, of which an
// import takes some files only.
func filesToImport(at string) (names []string, found bool, err error) {
	info, err := os.Stat(at)
	switch {
	case err == nil && !info.IsDir():
		return []string{at}, false, nil
	case err != nil && strings.ContainsAny(at, "*?["):
		all, err := filepath.Glob(at)
		return slices.DeleteFunc(all, func(name string) bool {
			info, err := os.Stat(name)
			return err != nil || info.IsDir() || !ops.Importable(filepath.ToSlash(name))
		}), true, err
	case err != nil:
		return []string{at}, false, nil // reading it returns the error
	}
	err = filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != at && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && ops.Importable(d.Name()):
			names = append(names, name)
		}
		return nil
	})
	return names, true, err
}

// showMerge prints what a merge leaves out, with both texts where they differ.
func showMerge(sh *shell, out *ops.MemoryMergeOut) error {
	if sh.flags.json {
		return sh.wrote(out, out.Wrote, out.Target)
	}
	text := ""
	if out.DryRun {
		text = fmt.Sprintf("entries of %s: %d\n", out.Target, out.Entries)
	}
	for _, l := range out.Left {
		text += fmt.Sprintf("%s %s is left out: it is like %s\n", l.Slot, l.EntryID, l.Like)
		if l.Text != "" {
			text += "  - " + strings.ReplaceAll(l.Text, "\n", "\n    ") + "\n  + " +
				strings.ReplaceAll(l.LikeText, "\n", "\n    ") + "\n"
		}
	}
	if !out.DryRun {
		if text != "" {
			sh.say("%s", strings.TrimSuffix(text, "\n"))
		}
		return sh.wrote(out, out.Wrote, out.Target)
	}
	for _, name := range out.Deleted {
		text += name + " goes to the trash\n"
	}
	sh.say("dry run: nothing was written")
	return sh.onScreen(render.VisibleLines(text))
}
