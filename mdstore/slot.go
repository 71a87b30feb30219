package mdstore

import (
	"arbor/mdstore/mdoc"
	"time"
)

// slotKeys are the keys of a slot, wherever it lies.
var slotKeys = []Key{
	{Name: KeyID, Help: "an id"},
	{Name: KeyName, Merge: MergeNoted, Help: "what the slot is called, unlike all others"},
	{Name: KeyDescription, Merge: MergeNoted, Help: "text of one line"},
	{Name: KeyTags, Rule: listRule, Merge: MergeUnite, Help: "a list; lower case, no blanks"},
	{Name: KeyPriority, Rule: wholeFrom(1, 5), Merge: MergeLater, Help: "1 (most) to 5"},
	{Name: KeyCreated, Time: true, Help: "Unix milliseconds"},
	{Name: KeyUpdated, Time: true, Merge: MergeNewest, Help: "Unix milliseconds"},
	{Name: KeyContributors, Rule: listRule, Merge: MergeUnite, Free: true, Help: "a list"},
	{Name: KeyPhase, Free: true, Help: "text"},
	{Name: KeyKeywords, Rule: listRule, Merge: MergeUnite, Free: true, Help: "a list; exports count words otherwise"},
	{Name: KeyFormat, Free: true, Help: "text"},
}

// The kinds of slots: as they are used, compressed, and in the archive.
var (
	SlotKind = &Kind{
		Name: "slot", Named: true, Form: SlotForm, Facts: pageFacts, Check: checkSlot, Keys: slotKeys,
		Place: Place{Dir: MemoryDir, Name: AnyMarkdown, Deep: true},
	}
	ZippedSlotKind = &Kind{
		Name: "compressed slot", Named: true, Form: SlotForm, Facts: pageFacts, Check: checkSlot, Keys: slotKeys,
		Place: Place{Dir: MemoryDir, Name: AnyMarkdown + Zipped, Deep: true},
	}
	ArchivedSlotKind = &Kind{
		Name: "archived slot", Named: true, Form: SlotForm, Facts: pageFacts, Check: checkSlot, Keys: slotKeys,
		Place: Place{Dir: ArchiveDir + "/" + MemoryDir, Name: AnyMarkdown + Zipped, Deep: true},
	}
)

// SlotForm is the form of a slot: its headings are those of entries.
var SlotForm = &mdoc.Form{Most: MaxSlot}

// The types of entries that Arbor writes. Others that a file states are kept.
const (
	EntryManual  = "manual_save"
	EntrySummary = "auto_summary"
	EntryImport  = "import"
	EntryMerge   = "merge"
	EntryRolled  = "rolled_summary" // one text instead of the oldest summaries
)

// EntryTypes are these types.
var EntryTypes = []string{EntryManual, EntrySummary, EntryImport, EntryMerge, EntryRolled}

// The keys of an entry's metadata that Arbor writes.
const (
	MetaSummary = "summary" // of a summary: "5000 → 750 characters"
)

// A SlotEntry is one text of a slot: a heading that says its id, type and time, an optional comment with metadata, and
// the text. A heading of level 1 or 2 that a person writes, with what stands below it, is an entry as well.
type SlotEntry struct {
	ID    ID             // "" if a person wrote the entry and Arbor has not written the file since
	Type  string         // EntryManual where the heading says none
	Time  time.Time      // UTC, whole seconds; zero if the heading says none
	Title string         // the rest of the heading; "" for none
	Meta  map[string]any // as JSON has it; nil for none
	Text  string         // the bytes that the caller gave
}

// A Slot is what a file of SlotKind states.
type Slot struct {
	ID           ID
	Name         string
	Description  string
	Group        string // the folder below memory/, "" for none
	Tags         []string
	Priority     int   // 1 (most) to 5; 0 if none is stated
	Created      int64 // Unix milliseconds; 0 if the file does not say
	Updated      int64
	Contributors []string
	ProjectPhase string
	Keywords     []string // chosen ones; none if exports count them
	Format       string
	Custom       []CustomField // the other keys of the front matter; see SlotOf
	Entries      []SlotEntry   // see SlotOf
}

// A CustomField is a key of a slot's front matter that has no meaning to Arbor, with its value as JSON has it.
type CustomField struct {
	Key   string
	Value any
}
