package setup

import (
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// A writer draws configuration files as people and programs write them: laid out in one way, or in any way that the
// syntax allows.
type writer struct {
	t        *rapid.T
	nl, unit string
	gap      string // after a colon
	wild     bool   // white space and comments anywhere
	comments bool
	commas   bool   // trailing ones
	entry    string // what the member ServerName is
	b        strings.Builder
}

// drawConfig draws the content of a file. It may hold the keys, each in the object that is the value of the one before,
// and the last one a list where "[" follows.
func drawConfig(t *rapid.T, keys ...string) string { return drawConfigWith(t, "", keys...) }

// drawConfigWith is drawConfig with an entry for ServerName at any place in the innermost object.
func drawConfigWith(t *rapid.T, entry string, keys ...string) string {
	w := &writer{
		t: t, nl: rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "nl"), unit: rapid.SampledFrom([]string{"  ", "    ", "\t", " "}).Draw(t, "unit"),
		gap: rapid.SampledFrom([]string{" ", " ", ""}).Draw(t, "gap"), wild: rapid.IntRange(0, 3).Draw(t, "wild") == 0,
		comments: rapid.Bool().Draw(t, "comments"), commas: rapid.Bool().Draw(t, "commas"), entry: entry,
	}
	if rapid.IntRange(0, 5).Draw(t, "bom") == 0 {
		w.b.WriteString(byteOrderMark)
	}
	if entry == "" && rapid.IntRange(0, 12).Draw(t, "blank") == 0 {
		w.b.WriteString(rapid.StringMatching(`[ \t\n]{0,3}`).Draw(t, "white"))
		return w.b.String()
	}
	w.extra("")
	w.object("", 0, keys)
	w.extra("")
	if rapid.Bool().Draw(t, "end") {
		w.b.WriteString(w.nl)
	}
	return w.b.String()
}

// extra writes white space and comments where the syntax allows them.
func (w *writer) extra(indent string) {
	if !w.wild {
		return
	}
	for range rapid.IntRange(0, 2).Draw(w.t, "extras") {
		w.b.WriteString(rapid.SampledFrom([]string{" ", "\t", w.nl, w.nl + indent, "/* note */", "/* } */", "// line { \" */" + w.nl, "/* two" + w.nl + "lines */"}).Draw(w.t, "extra"))
	}
}

// remark writes a comment at the end of a line, or on lines of its own.
func (w *writer) remark(before string) {
	if w.comments && rapid.IntRange(0, 4).Draw(w.t, "remark") == 0 {
		w.b.WriteString(before + rapid.SampledFrom([]string{"// a remark, with \"quotes\"", "/* a remark */", "//"}).Draw(w.t, "comment"))
	}
}

// parts writes what stands between two brackets.
func (w *writer) parts(open, end, indent string, n int, part func(i int, indent string)) {
	spread := rapid.IntRange(0, 3).Draw(w.t, "spread") > 0
	inner, outer := "", ""
	if spread {
		inner, outer = w.nl+indent+w.unit, w.nl+indent
	} else if pad := rapid.SampledFrom([]string{"", "", " "}).Draw(w.t, "pad"); w.gap != "" {
		inner, outer = pad, pad
	}
	w.b.WriteString(open)
	if spread && n == 0 && rapid.Bool().Draw(w.t, "tight") {
		outer = ""
	}
	for i := range n {
		switch {
		case i == 0 || spread:
			w.b.WriteString(inner)
		default:
			w.b.WriteString(w.gap)
		}
		if spread {
			if w.remark(""); !strings.HasSuffix(w.b.String(), inner) {
				w.b.WriteString(inner)
			}
		}
		w.extra(indent)
		part(i, indent+w.unit)
		w.extra(indent)
		if i < n-1 || w.commas && rapid.Bool().Draw(w.t, "comma") {
			w.b.WriteString(",")
			w.extra(indent)
		}
		if spread {
			w.remark(" ")
		}
	}
	w.b.WriteString(outer)
	w.extra(indent)
	w.b.WriteString(end)
}

// object writes an object with some of the keys as its members, each an object with the keys after it, and others
// besides.
func (w *writer) object(indent string, depth int, keys []string) {
	var names []string
	for i := range rapid.IntRange(0, 3).Draw(w.t, "members") {
		names = append(names, rapid.SampledFrom([]string{"x", "theme", "Zürich", "a\\\"b", "env", "arbors"}).Draw(w.t, "name")+strconv.Itoa(i))
	}
	add := ""
	switch {
	case len(keys) > 0 && (w.entry != "" || rapid.Bool().Draw(w.t, "has")):
		add = keys[0]
	case keys != nil && w.entry != "":
		add = ServerName
	}
	if add != "" {
		names = slices.Insert(names, rapid.IntRange(0, len(names)).Draw(w.t, "at"), add)
	}
	w.parts("{", "}", indent, len(names), func(i int, indent string) {
		w.b.WriteString(`"` + names[i] + `"`)
		w.extra(indent)
		w.b.WriteString(":" + w.gap)
		w.extra(indent)
		switch {
		case len(keys) > 0 && names[i] == keys[0] && len(keys) > 1 && keys[1] == "[":
			w.array(indent, depth+1)
		case len(keys) > 0 && names[i] == keys[0]:
			w.object(indent, depth+1, keys[1:])
		case names[i] == ServerName:
			w.b.WriteString(w.entry)
		default:
			w.value(indent, depth+1)
		}
	})
}

func (w *writer) array(indent string, depth int) {
	w.parts("[", "]", indent, rapid.IntRange(0, 3).Draw(w.t, "elements"), func(_ int, indent string) { w.value(indent, depth+1) })
}

func (w *writer) value(indent string, depth int) {
	switch n := rapid.IntRange(0, 9).Draw(w.t, "kind"); {
	case n < 2 && depth < 4:
		w.object(indent, depth, nil)
	case n < 4 && depth < 4:
		w.array(indent, depth)
	default:
		w.b.WriteString(rapid.SampledFrom([]string{`"text"`, `""`, `"// no comment"`, `"{\"[\\"`, `1`, `-2.5e7`, `true`, `null`, `"日本"`}).Draw(w.t, "value"))
	}
}
