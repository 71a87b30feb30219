package layers

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// home checks an import from outside the module.
func (c *checker) home(s source, i use, r row) {
	h, ok := c.homeOf(i.pkg)
	switch {
	case !ok:
		c.add(s.path, i.line, ruleHome, "%s has no home in the table of dependencies", i.pkg)
	case h.name == inTests && !s.test && !r.forTests:
		c.add(s.path, i.line, ruleTestsOnly, "%s is for tests, and %s is no test", h.module, s.path)
	case h.name != inTests && !h.holds(r.name) && !(s.test && listed(h.judges, r.name)):
		c.add(s.path, i.line, ruleHome, "%s has its home in %s and may not be imported by %s", h.module, h.name, r.name)
	}
}

// holds reports whether a package belongs to the home.
func (h home) holds(name string) bool {
	return slices.ContainsFunc(strings.Fields(h.name), func(at string) bool {
		return name == at || strings.HasPrefix(name, at+"/internal/")
	})
}

// inTests is the home of what only tests and their helpers import.
const inTests = "tests"

func (c *checker) homeOf(pkg string) (home, bool) {
	for _, h := range c.policy.homes {
		if pkg == h.module || strings.HasPrefix(pkg, h.module+"/") {
			return h, true
		}
	}
	return home{}, false
}

// dependencies compares go.mod, the table of homes, the imports and the page
// of reasons: each dependency is asked for, used, at home and explained.
func (c *checker) dependencies() {
	used := map[string]bool{}
	for _, s := range c.tree.sources {
		for _, i := range s.imports {
			if h, ok := c.homeOf(i.pkg); ok {
				used[h.module] = true
			}
		}
	}
	page := c.policy.reasons
	if c.tree.reasons == "" {
		c.add(page, 0, ruleReasons, "the page is missing")
		return
	}
	reasons := readReasons(c.tree.reasons)
	for _, h := range c.policy.homes {
		required := slices.ContainsFunc(c.tree.requires, func(r require) bool { return r.module == h.module })
		if !required && !h.later {
			c.add("go.mod", 0, ruleReasons, "%s has a home, but is not required", h.module)
		}
		if required && !used[h.module] && !h.later {
			c.add("go.mod", 0, ruleReasons, "%s has a home, but nothing imports it", h.module)
		}
		at, explained := reasons[h.module]
		switch {
		case !explained && (required || !h.later):
			c.add(page, 0, ruleReasons, "no section about %s", h.module)
		case explained && at != h.name:
			c.add(page, 0, ruleReasons, "%s has its home in %q here, and in %q in the table", h.module, at, h.name)
		}
		delete(reasons, h.module)
	}
	for module := range reasons {
		c.add(page, 0, ruleReasons, "a section about %s, which has no home in the table", module)
	}
	for _, r := range c.tree.requires {
		_, ok := c.homeOf(r.module)
		if !ok && r.direct {
			c.add("go.mod", 0, ruleReasons, "%s is required directly, but has no home in the table", r.module)
		}
		if !strings.Contains(c.tree.reasons, r.module) {
			c.add(page, 0, ruleReasons, "%s is not mentioned", r.module)
		}
	}
}

// A section of the page of reasons: "## module", text, and a line that begins
// with "Home:" and names the packages in backquotes, or says "tests".
var (
	sectionHead = regexp.MustCompile(`^## (\S+\.\S+/\S+)$`)
	sectionHome = regexp.MustCompile(`^Home: (tests\b|\x60[\w/]+\x60(?:, \x60[\w/]+\x60)*)`)
)

// readReasons returns the home that the page names for each module.
func readReasons(page string) map[string]string {
	homes, about := map[string]string{}, ""
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			about = ""
		}
		if m := sectionHead.FindStringSubmatch(line); m != nil {
			about, homes[m[1]] = m[1], ""
		}
		if m := sectionHome.FindStringSubmatch(line); m != nil && about != "" {
			homes[about] = strings.NewReplacer("`", "", ",", "").Replace(m[1])
		}
	}
	return homes
}

// house checks what lies where.
func (c *checker) house() {
	for _, name := range c.tree.top {
		if !slices.ContainsFunc(c.policy.top, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			c.add(name, 0, ruleTop, "nothing of that name belongs on the top level")
		}
	}
	for _, name := range c.tree.nested {
		c.add(name, 0, ruleOneModule, "the project is one module")
	}
}
