package mdstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

// TranscriptKind is the kind of Transcript.md, and of the older parts of a long one.
var TranscriptKind = &Kind{
	Name: "transcript", Quiet: true, Facts: pageFacts, Place: Place{Dir: sessionsDir, Name: "Transcript*.md", Deep: true},
	Keys: []Key{
		{Name: KeyProvider, Help: "whose model speaks"},
		{Name: KeyModel, Help: "which model"},
		{Name: KeyCreated, Time: true, Help: "when it began, in Unix milliseconds"},
		{Name: KeyPrevious, Help: "the file with the part before it"},
	},
}

// The roles of messages.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
)

// MessageRoles returns the roles that a message can be given.
func MessageRoles() []string { return []string{RoleUser, RoleAssistant, RoleSystem} }

// A Message is a block of a transcript: a heading of level 2 with the role, and the text. Other blocks that people
// write are messages too; their role is the heading's text, or "" above the first heading.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Messages returns the messages of a transcript in the order of the file.
func Messages(d *mdoc.Doc) []Message {
	var out []Message
	src, at, role := d.Readable(), len(d.Front()), ""
	add := func(end int) {
		if text := FromVerbatim(string(src[at:end])); role != "" || text != "" {
			out = append(out, Message{role, text})
		}
	}
	for _, h := range d.Headings() {
		if h.Level > 2 {
			continue
		}
		add(h.Span.Start)
		at, role = h.Span.End, h.Title
		if name := strings.ToLower(h.Title); h.Level == 2 && slices.Contains(MessageRoles(), name) {
			role = name
		}
	}
	add(len(src))
	return out
}

// AppendMessages returns the bytes of a transcript with more messages at its end; all others stay. The error is an
// *mdoc.EditError if the file cannot hold a text, or has an open block that would swallow it.
func AppendMessages(d *mdoc.Doc, more ...Message) ([]byte, error) {
	if err := d.Editable(); err != nil {
		return nil, err
	}
	eol := "\n"
	if bytes.Contains(d.Front(), []byte("\r\n")) {
		eol = "\r\n"
	}
	out := bytes.Clone(d.Bytes())
	for _, m := range more {
		if !slices.Contains(MessageRoles(), m.Role) {
			return nil, &mdoc.EditError{File: d.Name(), Text: fmt.Sprintf("%q is no role of a message", m.Role)}
		}
		for len(out) > 0 && !bytes.HasSuffix(out, []byte(eol+eol)) {
			out = append(out, eol...)
		}
		out = append(out, "## "+strings.ToUpper(m.Role[:1])+m.Role[1:]+eol...)
		body := Verbatim(m.Text)
		if body == m.Text {
			body = strings.ReplaceAll(body, "\n", eol)
		}
		if body != "" {
			out = append(out, eol+body+eol...)
		}
	}
	after, wrong := mdoc.Parse(d.Name(), out, nil)
	why := "a message would not read back as it was given; the usual cause is a code fence or HTML block that is open " +
		"at the end of the file"
	if len(wrong) > 0 {
		why = "a message cannot stand in a file: " + wrong[0].Text
	} else if slices.Equal(Messages(after), append(Messages(d), more...)) {
		return out, nil
	}
	return nil, &mdoc.EditError{File: d.Name(), Text: why}
}
