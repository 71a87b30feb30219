package dirstore

import (
	"regexp"
	"strings"
)

// An ignoreRule is a line of a .gitignore.
type ignoreRule struct {
	path   *regexp.Regexp // of what it is about, relative to the project
	keeps  bool           // it begins with !, and takes a file back
	folder bool           // it ends with a slash, and is about folders only
}

// ignored reports whether the last rule that is about a path leaves it out.
func ignored(rules []ignoreRule, p string, folder bool) (out bool) {
	for _, r := range rules {
		if (folder || !r.folder) && r.path.MatchString(p) {
			out = !r.keeps
		}
	}
	return out
}

// ignoreRules reads the .gitignore of a folder. A line that is no pattern is left out.
func ignoreRules(dir, text string) (rules []ignoreRule) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, "\\") {
			line = trimmed
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var r ignoreRule
		line, r.keeps = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		anchored := strings.Contains(line, "/")
		form := "^"
		if dir != "." {
			form += regexp.QuoteMeta(dir + "/")
		}
		if !anchored {
			form += "(?:.*/)?"
		}
		var err error
		if r.path, err = regexp.Compile(form + patternOf(strings.TrimPrefix(line, "/")) + "$"); err == nil && line != "" {
			rules = append(rules, r)
		}
	}
	return rules
}

// patternOf returns a pattern of git as a regular expression.
func patternOf(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		rest := glob[i:]
		class := strings.IndexByte(rest[1:], ']')
		switch {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		case rest[0] == '[' && class > 0:
			in := rest[1 : 1+class]
			if in[0] == '!' {
				in = "^" + in[1:]
			}
			b.WriteString("[" + in + "]")
			i += class + 1
		case rest[0] == '\\' && len(rest) > 1:
			i++
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	return b.String()
}
