package setup

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore/pattern"
)

// Agents is the client whose files every assistant reads that works in the project. Set-up keeps a section in them.
const Agents = "agents"

// agentFiles are the files of Agents. The section goes into those that exist, and into the first one if none does.
var agentFiles = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}

// Marks are the lines around the section. The first one has a digest of the text between them, which shows whether a
// person has edited the section.
const (
	beginMark = "<!-- arbor:begin %s (arbor setup agents writes this section, --undo takes it out) -->"
	endMark   = "<!-- arbor:end -->"
)

var beginning = pattern.Of(`(?m)^<!-- arbor:begin(?: ([0-9a-f]{8}))? .*-->\r?\n`)

// section returns the section in a file whose line end is nl, without a line end behind it.
func section(nl string) string {
	body := "## Plan\n\n" + primer
	text := fmt.Sprintf(beginMark, digest(body)) + "\n" + body + endMark
	return strings.ReplaceAll(text, "\n", nl)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return fmt.Sprintf("%x", sum[:4])
}

// putSection returns the text with the section at its end, or where it is already; or without it if remove. Without
// force, a section that a person has edited is an error. Removing the section restores the text from before putSection
// added it.
func putSection(text string, remove, force bool) (string, error) {
	at := beginning().FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		if remove {
			return text, nil
		}
		nl := "\n"
		if i := strings.Index(text, "\n"); i > 0 && text[i-1] == '\r' {
			nl = "\r\n"
		}
		switch { // the end of the new text says how the old one ended
		case text == "":
			return section(nl) + nl, nil
		case strings.HasSuffix(text, "\n"):
			return text + nl + section(nl) + nl, nil
		}
		return text + nl + nl + section(nl), nil
	}
	begin, body := at[0][0], at[0][1]
	line := 1 + strings.Count(text[:begin], "\n")
	end := strings.Index(text[body:], endMark)
	if end < 0 || len(at) > 1 {
		return "", fmt.Errorf(":%d: the marks of Arbor's section are damaged: it needs one line at its beginning "+
			"and one at its end (%s); mend or delete them", line, endMark)
	}
	said := ""
	if at[0][2] >= 0 {
		said = text[at[0][2]:at[0][3]]
	}
	inner, rest := text[body:body+end], text[body+end+len(endMark):]
	if digest(inner) != said && !force {
		return "", fmt.Errorf(":%d: Arbor's section was edited; move the edits out of the marks, "+
			"or --force drops them", line)
	}
	nl := "\n"
	if strings.HasSuffix(text[begin:body], "\r\n") {
		nl = "\r\n"
	}
	before := text[:begin]
	switch {
	case !remove:
		return before + section(nl) + rest, nil
	case rest == "": // the file did not end with a line end
		return strings.TrimSuffix(strings.TrimSuffix(before, nl), nl), nil
	}
	return strings.TrimSuffix(before, nl) + strings.TrimPrefix(rest, nl), nil
}

// agentsOf returns the files to add the section to or to remove it from. It leaves out links to AGENTS.md and files
// that import it, since their readers find the section there.
func (opt *Options) agentsOf() ([]*file, error) {
	if len(opt.Args) > 0 {
		return nil, errs.New(errs.InvalidParams, "%s starts no server: it takes no %s", Agents, opt.Args[0])
	}
	var files []*file
	for _, name := range agentFiles {
		path, err := opt.locate([]string{"$PROJECT/" + name})
		if err != nil {
			return nil, err
		}
		f := opt.fileAt(Project, path)
		f.section = true
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink != 0 && len(files) > 0 {
			continue
		}
		if err := f.read(); err != nil {
			return nil, err
		}
		has := beginning().MatchString(f.text)
		if imports := len(files) > 0 && strings.Contains("\n"+f.text, "\n@"+agentFiles[0]); has || !imports {
			files = append(files, f)
		}
	}
	if len(files) > 0 {
		return files, nil
	}
	f := opt.fileAt(Project, filepath.Join(opt.Project, agentFiles[0]))
	f.section = true
	return []*file{f}, nil
}
