package ops

import (
	"context"
	"slices"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
)

const mergeBoth = "merge what both sides changed" // the repair of a conflict by check --fix

// gitDiagnostics adds to the diagnostics of the files below a folder of the vault, "" for all, what git says: unmerged
// files, and that this clone lacks the merge driver. If there is no git, that is nothing.
func gitDiagnostics(ctx context.Context, env *Env, under mdstore.Path, found []mdoc.Diagnostic) []mdoc.Diagnostic {
	r, all, err := conflicts(ctx, env, under, found)
	if err != nil {
		return found
	}
	for _, c := range all {
		fix := ""
		if c.settles() {
			fix = mergeBoth
		}
		i := slices.IndexFunc(found, c.marksAt)
		if i < 0 {
			i, found = len(found), append(found, c.diagnostic())
		}
		found[i].Fix = fix
	}
	if r == nil || under != "" {
		return found
	}
	attributes, err := env.Engine.RawFile(ctx, gitrepo.AttributesFile)
	if err != nil || !gitrepo.AsksDriver(attributes) {
		return found
	}
	program, there := gitrepo.DriverProgram(r.Driver)
	text := ""
	switch {
	case r.Driver == "":
		text = "this clone has no merge driver, so git merges the vault's files as lines; type arbor admin git install"
	case !there:
		text = "the merge driver's program " + program + " is not there, so each merge is a conflict; type " +
			"arbor admin git install"
	default:
		return found
	}
	return append(found, mdoc.Diagnostic{File: gitrepo.AttributesFile, Code: check.CodeMergeDriver, Text: text})
}

// diagnostic says that git's index has several versions of the file.
func (c *conflict) diagnostic() mdoc.Diagnostic {
	text := "a merge of git left it for you"
	if side := c.gone(); side != "" {
		text += ": " + side + " deleted it, and the other side changed it"
	}
	return mdoc.Diagnostic{File: string(c.path), Code: string(errs.Merging),
		Text: text + "; arbor conflicts shows both sides, arbor conflicts " + string(c.path) +
			" --ours|--theirs|-e ends it"}
}

// fixConflicts ends the conflicts that need no person, and adds them to the result of a check. With found nil, these
// are the conflicts below a folder that git's index has. Otherwise they are the files in which diagnostics of found
// report marks and which are not in the index.
func fixConflicts(
	ctx context.Context, env *Env, under mdstore.Path, found []mdoc.Diagnostic, w Write, out *WorkspaceCheckOut,
) (fixed bool, err error) {
	r, all, err := conflicts(ctx, env, under, found)
	if err != nil {
		return false, nil // gitDiagnostics adds nothing then, either
	}
	for _, c := range all {
		if !c.settles() || (c.stages == nil) != (found != nil) {
			continue
		}
		o, err := c.bring(ctx, env, r, c.merged.Bytes, w.DryRun)
		if err != nil {
			return fixed, err
		}
		d := c.diagnostic()
		if i := slices.IndexFunc(found, c.marksAt); i >= 0 {
			d = found[i]
		}
		d.Fix, fixed = mergeBoth, true
		env.repaired(ctx, "", []mdoc.Diagnostic{d}, o, out)
	}
	return fixed, nil
}

// marksAt reports whether a diagnostic says that the file has marks.
func (c *conflict) marksAt(d mdoc.Diagnostic) bool {
	return d.Code == mdoc.CodeConflictMarkers && d.File == string(c.path)
}

// fixWithMarks runs Env.fix, and merges files that have marks and are in no conflict of git's index. Then it runs
// Env.fix again, because a file with marks takes no other repair. A dry run does not show these later repairs.
func fixWithMarks(
	ctx context.Context, env *Env, id mdstore.ID, w Write, out *WorkspaceCheckOut,
) (checked bool, err error) {
	before, files := len(out.Diagnostics), out.Checked
	checked, err = env.fix(ctx, id, w, out)
	hasMarks := func(d mdoc.Diagnostic) bool { return d.Code == mdoc.CodeConflictMarkers }
	if found := out.Diagnostics[before:]; err == nil && slices.ContainsFunc(found, hasMarks) {
		fixed, err := fixConflicts(ctx, env, "", found, w, out)
		if err != nil || !fixed || w.DryRun {
			return checked, err
		}
		out.Diagnostics, out.Checked = out.Diagnostics[:before], files
		return env.fix(ctx, id, w, out)
	}
	return checked, err
}
