package ops

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/internal/memory"
	"arbor/engine/plan"
	"arbor/mdstore"
)

type MemoryImportIn struct {
	MemoryIn
	Source []string     `json:"source" req:"true" arg:"FILE" help:"files, folders or patterns such as old/*.json in the project"`
	Slot   string       `json:"slot,omitempty" help:"the target SLOT; default: what the file says, or its name"`
	As     string       `json:"as,omitempty" enum:"auto,text,memcord" help:"text imports a whole file as one entry"`
	Files  []ImportFile `json:"-"` // the files; nil: Source is read in the project
	Write
}

// An ImportFile is a file to import.
type ImportFile struct {
	Name  string
	Data  []byte
	Found bool // by a folder or a pattern: it may be of any kind
}

type MemoryImportOut struct {
	Slots []plan.AddedEntries `json:"slots"`
	Wrote
}

var memoryImport = op("memory_import", writes, MemoryImport, Help{
	Summary: "import text files, memcord slots or exports",
	Use:     "memory import FILE...",
	Text: `FILE can be a folder, or a pattern such as 'old/*.json': of its files, .json, .md
and .txt are imported, in one commit. memcord files and JSON exports are
imported as slots, compressed or not; any other text becomes an entry. Nothing
is replaced: existing entries are skipped, and invalid slot names are corrected.`,
	Example: "arbor memory import ~/memcord/memory_slots\narbor memory import notes.md --slot meetings",
})

// MemoryImport adds the entries of files to slots, all of them or none.
func MemoryImport(ctx context.Context, env *Env, in MemoryImportIn) (*MemoryImportOut, error) {
	var err error
	if in.Files == nil {
		if in.Files, err = env.filesOf(ctx, in.Source); err != nil {
			return nil, err
		}
	}
	var skipped []string
	out := &MemoryImportOut{}
	x := plan.ImportSlots{Slot: in.Slot, Read: besides(ctx, env)}
	for _, f := range in.Files {
		as := in.As
		if as == "" {
			as = "auto"
		}
		if f.Found && as == "auto" && path.Ext(f.Name) == ".json" {
			as = "memcord" // a folder of memcord has settings beside its slots
		}
		slots, err := memory.Import(inProject(env, f.Name), f.Data, as)
		nothing := (*memory.NothingError)(nil)
		switch {
		case f.Found && errors.As(err, &nothing):
			skipped = append(skipped, path.Base(filepath.ToSlash(f.Name)))
		case err != nil:
			return nil, errs.New(errs.InvalidContent, "%v", err).With(errs.Details{Param: "source"})
		}
		x.Slots = append(x.Slots, slots...)
	}
	if len(x.Slots) == 0 {
		return nil, badParam("source", "%s: no slot or text was found; .json files with slots, .md and .txt files of "+
			"a folder are imported", strings.Join(in.Source, ", "))
	}
	ref := SlotRef{In: in.In, SessionID: in.SessionID, Slot: in.Slot}
	var ws mdstore.ID
	if in.Slot != "" {
		ws, x.Slot, err = slotTarget(ctx, env, ref, in.Write)
	} else {
		ws, err = slotHome(ctx, env, ref, in.Write)
	}
	if err != nil {
		return nil, err
	}
	env = env.As(in.SessionID)
	out.Slots, out.Wrote, err = apply(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), x, "{memory_read} reads them")
	if err != nil {
		return nil, err
	}
	if n := len(skipped); n > 0 {
		out.Warned = append(out.Warned, fmt.Sprintf("skipped, without a slot or a text: %s%s",
			strings.Join(skipped[:min(n, skippedShown)], ", "), more(n-skippedShown)))
	}
	return out, nil
}

const skippedShown = 10 // names of skipped files in a warning

// more says how many others there are, "" for none.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// Importable reports whether an import of a folder takes files of that name.
func Importable(name string) bool {
	return !strings.HasPrefix(path.Base(name), ".") &&
		slices.Contains([]string{".json", ".md", ".markdown", ".txt"}, strings.ToLower(path.Ext(name)))
}

// filesOf reads files of the project: those that are named, and those that folders and patterns stand for.
func (env *Env) filesOf(ctx context.Context, sources []string) (files []ImportFile, err error) {
	for _, source := range sources {
		source = inProject(env, source)
		names, found, err := env.namesOf(ctx, source)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if slices.ContainsFunc(files, func(f ImportFile) bool { return f.Name == name }) {
				continue
			}
			data, err := env.Engine.ReadProject(ctx, name, mdstore.MaxSlot)
			if err != nil {
				return nil, badSource(name, err.Error())
			}
			files = append(files, ImportFile{name, data, found})
		}
	}
	return files, nil
}

// namesOf returns the paths of the files that a source stands for. found says that it is a folder or a pattern.
func (env *Env) namesOf(ctx context.Context, source string) (names []string, found bool, err error) {
	for elem := range strings.SplitSeq(source, "/") {
		if elem == ".git" || elem == ".ssh" || strings.HasPrefix(elem, ".env") {
			return nil, false, badSource(source, "files of this name hold secrets, and the memory is committed; copy what "+
				"is meant to a file of another name")
		}
	}
	top := source
	for strings.ContainsAny(top, "*?[") {
		top = path.Dir(top)
	}
	below, lacking, err := env.Engine.Tree(ctx, top, treeMost)
	switch {
	case err != nil:
		return nil, false, err
	case lacking != "" && top == source: // it may be a file
		return []string{source}, false, nil
	case lacking != "":
		return nil, true, badSource(top, lacking)
	}
	for _, x := range below {
		fits := top == source
		if !fits {
			if fits, err = path.Match(source, x.Path); err != nil {
				return nil, true, badSource(source, "it is no pattern; * stands for any part of a name, as in old/*.json")
			}
		}
		if fits && !x.Folder && Importable(x.Path) {
			names = append(names, x.Path)
		}
	}
	return names, true, nil
}

// badSource returns the error for a file that cannot be imported.
func badSource(name, why string) error {
	return errs.New(errs.InvalidPath, "%s: %s", name, why).With(errs.Details{Param: "source"})
}
