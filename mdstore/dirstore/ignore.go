package dirstore

import (
	"path"
	"strings"
)

// An ignoreRule is a line of a .gitignore.
type ignoreRule struct {
	dir     string   // the folder of the .gitignore, relative to the project
	pattern []string // path elements below that folder; "**" matches any number of them
	keeps   bool     // it begins with !: what matches is not ignored
	folder  bool     // it ends with a slash: it matches folders only
}

// ignored reports whether the last rule that matches a path ignores it.
func ignored(rules []ignoreRule, p string, folder bool) (out bool) {
	for _, r := range rules {
		below := strings.TrimPrefix(p, strings.TrimPrefix(r.dir+"/", "./"))
		if (folder || !r.folder) && matches(r.pattern, strings.Split(below, "/")) {
			out = !r.keeps
		}
	}
	return out
}

// matches reports whether a pattern of a .gitignore matches a path. A malformed pattern matches nothing.
func matches(pattern, elements []string) bool {
	switch {
	case len(pattern) == 0 || len(elements) == 0:
		return len(pattern) == len(elements)
	case pattern[0] != "**":
		ok, _ := path.Match(strings.ReplaceAll(pattern[0], "[!", "[^"), elements[0])
		return ok && matches(pattern[1:], elements[1:])
	case len(pattern) == 1:
		return true
	}
	return matches(pattern[1:], elements) || matches(pattern, elements[1:])
}

// ignoreRules parses the text of the .gitignore in the folder dir.
func ignoreRules(dir, text string) (rules []ignoreRule) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, "\\") {
			line = trimmed
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r := ignoreRule{dir: dir}
		line, r.keeps = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		if !strings.Contains(line, "/") {
			line = "**/" + line
		}
		r.pattern = strings.Split(strings.TrimPrefix(line, "/"), "/")
		rules = append(rules, r)
	}
	return rules
}
