package check

import (
	"slices"

	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// The codes of diagnostics that concern more than one file, besides those of packages mdoc, mdstore and statemachine.
const (
	CodeRootMissing    = "ROOT_MISSING"       // no node has the id root
	CodeExecChildren   = "CHILDREN_FORBIDDEN" // an execution node has children
	CodeHashStale      = "RULES_HASH_STALE"   // rules were edited by hand
	CodeDangling       = "REFERENCE_DANGLING" // an active reference to a node that does not exist
	CodeLinkMoved      = "LINK_MOVED"         // a relative link to a file of a node that lies elsewhere
	CodeDocMissing     = "DOC_MISSING"        // an active document that is not in the project
	CodeDependsMissing = "DEPENDENCY_MISSING" // a dependency that does not exist
	CodeDependsOpen    = "DEPENDENCY_OPEN"    // an execution node runs although it waits
	CodeUnverified     = "UNVERIFIED"         // completed, and its log knows of no verification that passed
	CodeDependsFailed  = "DEPENDENCY_FAILED"  // a node waits for one that failed or was cancelled
	CodeFocusDangling  = "FOCUS_DANGLING"     // the focused node does not exist
	CodeStaleSave      = "STALE_SAVE"         // a save that was made from an older version, and is not merged yet
	CodeTakenOut       = "TAKEN_OUT"          // git or a save removed text that an operation wrote within the last day
	CodeToolInvalid    = "TOOL_INVALID"       // a definition of a tool that no environment can have
	CodeMergeDriver    = "MERGE_DRIVER"       // this clone lacks the merge driver that .gitattributes names
	CodeStray          = "STRAY_FILE"         // a conflict copy, a backup, a temporary file
)

// rootPlace is the path of the root's file in its workspace.
var rootPlace = mdstore.NodePath("", mdstore.Root)

// A Severity says how much a problem prevents work.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // a file or node cannot be worked with
	SeverityWarning Severity = "warning" // the files contradict each other
	SeverityNote    Severity = "note"    // a file that does not belong there
)

// A CheckCode describes all diagnostics with one code. Docs, SARIF and tests read the same rows.
type CheckCode struct {
	Code     string
	Severity Severity
	What     string // the problem in a few words
	Person   string // how a person repairs it
	Fix      string // the repair by check --fix; "" if only a person can repair it
}

var checkCodes = []CheckCode{
	{mdoc.CodeNotUTF8, SeverityError, "bytes that are no UTF-8, or NUL", "save the file as UTF-8", ""},
	{mdoc.CodeLineEndings, SeverityError, "a line ends with a lone CR", "save the file with LF or CRLF line ends", ""},
	{mdoc.CodeConflictMarkers, SeverityError, "an unfinished merge of git: `<<<<<<<` and `>>>>>>>` at the " +
		"start of lines, or what is left of them",
		"choose the lines to keep and remove the markers, or `arbor conflicts`",
		"as for `MERGE_CONFLICT`"},
	{string(errs.Merging), SeverityError, "git's index has several versions of the file: a merge that " +
		"people must end",
		"`arbor conflicts` shows both sides; `arbor conflicts NODE --ours`, `--theirs` or `-e`",
		"where the two changes do not contradict each other, and nobody has edited the file since: merges them " +
			"and stages the file"},
	{mdoc.CodeNoFrontMatter, SeverityError, "no front matter, or one that never ends",
		"put its keys between two lines `---`; a node needs no key but `title`", ""},
	{mdoc.CodeFrontMatter, SeverityError, "front matter that is neither YAML nor lines of `key: value`", "quote a text that has `: `, ` #` or brackets in it; close what is open", ""},
	{mdoc.CodeDuplicateKey, SeverityError, "a key of the front matter stands twice", "keep one of the two", ""},
	{mdoc.CodeTooLarge, SeverityError, "the file is beyond a limit", "move text into a file beside it", ""},
	{view.CodeFileMissing, SeverityError, "a folder of a node or workspace without its file", "restore the file (git, the trash), or remove the folder", "where the folder holds nothing at all: moves it to the trash"},
	{"NOT_A_FILE", SeverityError, "a folder, a pipe or a device in a file's place; or anything in the place of `.local/`, or of the lock, the journal or the number of the last commit in it", "put a regular file there; of `.local/`, remove it", ""},
	{"SYMLINK", SeverityError, "a symbolic link, which is not followed", "put the file or folder itself there", ""},
	{"HARD_LINK", SeverityError, "a file with several names (hard links); Arbor reads it and never writes it",
		"remove the other names, or make it a copy", ""},
	{"PERMISSION", SeverityError, "not readable for you, or marked read-only, or a file or folder that you may not write to", "change its permissions", ""},
	{"UNSTABLE", SeverityError, "the file changed each time that it was read", "wait for the program that writes it", ""},
	{string(errs.FileUnreadable), SeverityError, "anything else that keeps a file from being read", "do as the text says", ""},

	{mdstore.CodeIDMissing, SeverityError, "no `id` beside a type or status, or one that is none",
		"write one; until then the folder's name counts",
		"writes the folder's name, or an id that is made of it"},
	{mdstore.CodeTypeInvalid, SeverityError, "a `type` that is neither `planning` nor `execution`", "write one of them", ""},
	{mdstore.CodeStatusInvalid, SeverityError, "no status of that type; or the status of a workspace disagrees with its place", "write one that the text names", "for a workspace: writes the status that its place says"},
	{mdstore.CodeFieldInvalid, SeverityWarning, "a value of another kind than its key asks for", "write a plain value", "for the root: writes `parentId: null`"},
	{mdstore.CodeFormatNewer, SeverityWarning, "a newer Arbor has written the workspace; with this one it can only be read", "use the newer one", ""},

	{string(errs.DuplicateID), SeverityError, "several files have one id", "give all but one another id, or remove the copies", "of slots: moves an older copy to the trash that holds nothing which the other lacks; where one of them alone lies in the folder of that id: gives each copy an id of its own and notes in its log whose copy it is"},
	{string(errs.NameTaken), SeverityWarning, "several slots of a workspace have one name", "give all but one another name, or merge them", ""},
	{mdstore.CodeEntryTwice, SeverityWarning, "two entries of a slot have one id",
		"save something to the slot, or give the later one another id", ""},
	{mdstore.CodeBlockOpen, SeverityWarning, "a code fence or HTML block of a slot never ends",
		"close it, behind the text that belongs to it", ""},
	{CodeRootMissing, SeverityError, "no node has the id `root`", "restore `" + string(rootPlace) + "` (git, the trash), or give the topmost node that id", "makes a root where its place is free"},
	{string(errs.OrphanNode), SeverityError, "`parentId` names no node",
		"write the id of a node that exists, or move the node",
		"moves it to the root, or in a merge to the nearest ancestor that is left; " +
			"makes a root where it names that and there is none"},
	{string(errs.Cycle), SeverityError, "a node is its own ancestor", "change one `parentId` of the circle", "where moves made the circle: takes the latest of them back"},
	{CodeExecChildren, SeverityError, "the parent is an execution node", "write another `parentId`, or make the parent a planning node", ""},
	{string(statemachine.CodeStatusUnreachable), SeverityWarning, "a status that the tables do not allow: not after the last transition in the node's log, or not for a node with children", "write another status",
		"after a transition: records the status in the log, and it stands; with children: moves it to `monitoring`"},
	{string(statemachine.CodeChildrenOpen), SeverityWarning, "completed, but a child is not over", "finish the child, or reopen the parent", "moves the parent to `monitoring`, and its conclusion into the log"},
	{string(statemachine.CodeConclusionMissing), SeverityWarning, "over, but without a conclusion", "write one", ""},
	{mdstore.CodeCriteriaOpen, SeverityWarning, "completed, but criteria are open, and no person has forced that",
		"tick what holds (`arbor tick`), or reopen the node", ""},
	{mdstore.CodeSectionTwice, SeverityWarning, "a section that holds one text stands twice", "join the two", ""},
	{CodeHashStale, SeverityWarning, "the rules were edited by hand, and `rulesHash` is not theirs", "nothing: `arbor check --fix` knows the hash", "writes the hash of the rules as they stand"},
	{CodeFocusDangling, SeverityWarning, "`focusedNodeId` names no node", "focus another node", "focuses the root"},
	{CodeDangling, SeverityWarning, "a reference to a node that does not exist", "mend the id, remove the line, or put `(expired)` at its end", "puts `(expired)` at its end"},
	{CodeLinkMoved, SeverityWarning,
		"a relative link to a node's file that leads to no file, as the node or the file with the link has moved; Arbor " +
			"finds the node by the id in the path",
		"correct the path", "writes the path to the node's file"},
	{string(errs.DependencyCycle), SeverityWarning,
		"nodes that wait for each other, so that none of them can be started",
		"take one of the dependencies out", ""},
	{CodeDependsMissing, SeverityWarning,
		"a node depends on one that does not exist, and waits",
		"correct the id, or take it out", ""},
	{CodeDependsFailed, SeverityWarning,
		"a node waits for one that failed or was cancelled",
		"retry or reopen that one, or take it out of the dependencies", ""},
	{CodeDependsOpen, SeverityNote,
		"an execution node runs although a dependency of it, or of a node above it, is not completed",
		"complete that one first, or go on where the order does not matter", ""},
	{CodeUnverified, SeverityWarning,
		"a completed node whose log has no passing line for a tool of its `verify` since it was started",
		"reopen it and complete it again", ""},
	{mdstore.CodeLooksLike, SeverityWarning,
		"a key that other programs use for one of Arbor's, or a heading nearly like that of a section that the file " +
			"has too, or `Criteria` above task boxes; it is not read; or a title that YAML does not read whole, such as " +
			"`!important x`",
		"write Arbor's key, put the title in quotes, join the two sections, or name the section `Acceptance Criteria`",
		"gives the key Arbor's name, where the file does not have that; joins two texts; puts a title in quotes"},
	{CodeDocMissing, SeverityWarning, "a document that the project does not have", "mend the path, remove the line, or put `(expired)` at its end", ""},
	{CodeStaleSave, SeverityWarning, "a program saved a file that it had read before Arbor changed it, so that the change is missing", "run any command that writes: it merges both", ""},
	{CodeTakenOut, SeverityNote, "git or another program took out of a file what an operation had written within the last day; it is about this machine, so the exit code and SARIF leave it out",
		"nothing where that was meant; else the command in the text writes it again", ""},
	{config.CodeSecret, SeverityWarning, "a key or value that looks like a secret in `arbor.toml` or a `config.toml`, which clones bring", "take it out, make it invalid where it was made, and give a new one by the environment", ""},
	{config.CodeRefused, SeverityWarning, "a setting that does not count in `arbor.toml` or a " +
		"`config.toml`: a clone must not widen its rights",
		"set it for yourself: `arbor admin config set --user`",
		""},
	{config.CodeInvalid, SeverityWarning, "`arbor.toml` or a `config.toml` is no TOML, or a key in it is unknown or of another type", "write it as [settings.md](settings.md) has it", ""},
	{CodeMergeDriver, SeverityNote, "`.gitattributes` names Arbor's merge driver, and this clone has none, " +
		"or its program is gone; it is about this clone, so the exit code and SARIF leave it out",
		"type `arbor admin git install`",
		""},
	{CodeToolInvalid, SeverityWarning,
		"a tool of `tools/` or of an environment's `.monad/tools.json` is wrongly defined, " +
			"so that no call and no `verify` finds it",
		"correct the definition as the text says ([environments.md](environments.md))", ""},
	{CodeStray, SeverityNote,
		"a file that is no part of the vault: a copy that a sync program or Arbor kept, a backup of an editor or a " +
			"merge, a leftover of a crash",
		"of a copy: `arbor conflicts COPY` shows both and ends it; else take over what you need, then delete it",
		"a copy that equals the file beside it goes to the trash; so does what a commit of Arbor has left"},
	{mdstore.CodeSessions, SeverityNote,
		"`sessions.json` is no valid JSON, or a binding in it is none, or leads to a workspace that is gone",
		"bind a session: that keeps a damaged file under another name and starts a new one, and writes a binding " +
			"anew", ""},
}

// CheckCodes returns the description of each code of a diagnostic: first the problems of one file, then those of
// several files together.
func CheckCodes() []CheckCode { return slices.Clone(checkCodes) }
