package layers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A rule is one of the promises that check keeps.
type rule string

const (
	ruleParses    rule = "parses"     // every source parses
	ruleRow       rule = "row"        // every package has a row, every row a package
	ruleDown      rule = "down"       // a package imports what its row says
	ruleTestsDown rule = "tests-down" // its tests import what is below, and helpers
	ruleClosed    rule = "closed"     // a closed package imports the standard packages of its row
	ruleClock     rule = "clock"      // a closed package reads no clock
	ruleTerminal  rule = "terminal"   // a closed package does not print
	ruleHome      rule = "home"       // a dependency is imported at home
	ruleTestsOnly rule = "tests-only" // what is for tests stays there
	rulePlain     rule = "plain"      // no dot imports, no cgo, no unsafe
	ruleSleep     rule = "sleep"      // no test waits for the clock
	ruleReasons   rule = "reasons"    // go.mod, the table and the page of reasons agree
	ruleTop       rule = "top"        // the top level holds what it should
	ruleOneModule rule = "one-module" // no go.mod further down
	ruleLength    rule = "length"     // no source is too long
)

var allRules = []rule{
	ruleParses, ruleRow, ruleDown, ruleTestsDown, ruleClosed, ruleClock, ruleTerminal, ruleHome,
	ruleTestsOnly, rulePlain, ruleSleep, ruleReasons, ruleTop, ruleOneModule, ruleLength,
}

// A violation is one place that breaks a rule.
type violation struct {
	path string
	line int // 0 when the whole file is meant
	rule rule
	text string
}

func (v violation) String() string {
	if v.line == 0 {
		return fmt.Sprintf("%s: %s: %s", v.path, v.rule, v.text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", v.path, v.line, v.rule, v.text)
}

// check returns every violation, by path, line and text.
func check(t *tree, p policy) []violation {
	c := &checker{tree: t, policy: p}
	c.packages()
	for _, s := range t.sources {
		c.source(s)
	}
	c.dependencies()
	c.house()
	slices.SortFunc(c.found, func(a, b violation) int {
		return cmp.Or(strings.Compare(a.path, b.path), a.line-b.line, strings.Compare(a.text, b.text))
	})
	return c.found
}

type checker struct {
	tree   *tree
	policy policy
	found  []violation
}

func (c *checker) add(path string, line int, r rule, format string, args ...any) {
	c.found = append(c.found, violation{path, line, r, fmt.Sprintf(format, args...)})
}

// packages compares the folders that hold sources with the rows.
func (c *checker) packages() {
	holds := map[string]bool{}
	for _, s := range c.tree.sources {
		if _, ok := c.row(s.dir); !ok && !holds[s.dir] {
			c.add(s.dir, 0, ruleRow, "package without a row in the table of layers")
		}
		holds[s.dir] = true
	}
	for _, r := range c.policy.rows {
		if !r.later && !holds[r.name] {
			c.add(r.name, 0, ruleRow, "the table of layers has a row for it, but it holds no sources")
		}
	}
}

// source checks one file against its row.
func (c *checker) source(s source) {
	if s.broken != "" {
		c.add(s.path, 0, ruleParses, "%s", s.broken)
		return
	}
	if s.lines > c.policy.maxLines && !s.test {
		c.add(s.path, 0, ruleLength, "%d lines, more than %d: find the second thought and name it", s.lines, c.policy.maxLines)
	}
	r, known := c.row(s.dir)
	if !known {
		return // said once for the package
	}
	for _, i := range s.imports {
		c.plain(s, i)
		inside, isInside := strings.CutPrefix(i.pkg, c.tree.module+"/")
		switch {
		case isInside && s.test:
			c.testsDown(s, i, r, inside)
		case isInside:
			if !listed(r.may, inside) {
				c.add(s.path, i.line, ruleDown, "%s may not import %s; it may import: %s", r.name, inside, orNothing(r.may))
			}
		case strings.Contains(strings.Split(i.pkg, "/")[0], "."):
			c.home(s, i, r)
		default:
			c.standard(s, i, r)
		}
	}
	c.names(s, r)
}

// testsDown checks an import by a test: what its package may import, all that
// is further down, helpers up to one storey above, and what its row says.
func (c *checker) testsDown(s source, i use, r row, name string) {
	to, ok := c.row(name)
	switch {
	case !ok:
		c.add(s.path, i.line, ruleTestsDown, "%s has no row in the table of layers", name)
	case name == r.name, listed(r.may, name), to.floor < r.floor, listed(r.tests, name):
	case to.helper && to.floor <= r.floor+storey:
	default:
		c.add(s.path, i.line, ruleTestsDown, "tests of %s may not import %s: it is neither below it nor a helper at most one storey above it", r.name, name)
	}
}

func (c *checker) standard(s source, i use, r row) {
	switch {
	case s.test:
	case (i.pkg == "testing" || strings.HasPrefix(i.pkg, "testing/")) && !r.forTests:
		c.add(s.path, i.line, ruleTestsOnly, "%s is for tests, and %s is no test", i.pkg, s.path)
	case r.std != "" && !listed(expanded(r.std), i.pkg):
		c.add(s.path, i.line, ruleClosed, "%s is closed and may not import %s; it may import: %s", r.name, i.pkg, r.std)
	}
}

// plain refuses what hides a name or a memory access from the reader.
func (c *checker) plain(s source, i use) {
	if i.pkg == "C" || i.pkg == "unsafe" {
		c.add(s.path, i.line, rulePlain, "%q is not for this module", i.pkg)
	}
	if i.name == "." {
		c.add(s.path, i.line, rulePlain, "a dot import of %s hides where names come from", i.pkg)
	}
}

// names checks what a file takes from the packages that it imports.
func (c *checker) names(s source, r row) {
	for _, u := range s.uses {
		if s.test {
			if u.pkg == "time" && u.name == "Sleep" && !imports(s, "testing/synctest") {
				c.add(s.path, u.line, ruleSleep, "a test sleeps; wait for what should happen, or use testing/synctest")
			}
			continue
		}
		for _, b := range bans {
			if excepted := s.path == r.clock && b.breaks == ruleClock && !u.call; r.std == "" || excepted {
				continue
			}
			if b.pkg == u.pkg && listed(b.names, u.name) {
				c.add(s.path, u.line, b.breaks, "%s is closed and may not use %s.%s: %s", r.name, u.pkg, u.name, b.instead)
			}
		}
	}
}

func (c *checker) row(name string) (row, bool) {
	for _, r := range c.policy.rows {
		if r.name == name {
			return r, true
		}
	}
	return row{}, false
}

func imports(s source, pkg string) bool {
	return slices.ContainsFunc(s.imports, func(u use) bool { return u.pkg == pkg })
}

// listed reports whether a list separated by spaces holds a word.
func listed(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

func expanded(std string) string {
	if listed(std, "pure") {
		return std + " " + pure
	}
	return std
}

func orNothing(list string) string {
	if list == "" {
		return "nothing of the module"
	}
	return list
}
