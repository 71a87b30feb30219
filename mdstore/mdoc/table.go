package mdoc

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A table is all that editing asks of one: that it is there, from where its paragraph began. The library's own extension would bring its cells, their
// inline text, HTML renderers and the regular expressions of every other extension into the program and into the start of each process.
type table struct{ ast.BaseBlock }

var kindTable = ast.NewNodeKind("Table")

func (*table) Kind() ast.NodeKind { return kindTable }

func (t *table) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// tables takes the end of a paragraph for a table where a delimiter row stands below a row of no more cells, as the library's extension does.
type tables struct{}

func (tables) Transform(p *ast.Paragraph, r text.Reader, _ parser.Context) {
	lines := p.Lines()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		columns := delimiterColumns(line.Value(r.Source()))
		if columns == 0 {
			continue
		}
		if rowCells(lines.At(i-1), r.Source()) > columns {
			return
		}
		t := &table{}
		t.SetPos(p.Pos())
		p.Parent().InsertAfter(p.Parent(), p, t)
		lines.SetSliced(0, i-1)
		if i == 1 {
			p.Parent().RemoveChild(p.Parent(), p)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // a paragraph does not end in a line end
		lines.Set(i-2, last)
		return
	}
}

// delimiterColumns returns how many columns the row below a table's head announces; 0 where the line is none.
func delimiterColumns(line []byte) int {
	if indent, _ := util.IndentWidth(line, 0); indent > 3 || len(bytes.Trim(line, "-")) == 0 || len(bytes.Trim(line, "-:| \t\r\n")) > 0 {
		return 0
	}
	columns := bytes.Split(line, []byte{'|'})
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if n := len(columns); n > 0 && util.IsBlank(columns[n-1]) {
		columns = columns[:n-1]
	}
	for _, c := range columns {
		c = bytes.Trim(c, " \t\r\n")
		c = bytes.TrimSuffix(bytes.TrimPrefix(c, []byte{':'}), []byte{':'})
		if len(c) == 0 || len(bytes.Trim(c, "-")) > 0 {
			return 0
		}
	}
	return len(columns)
}

// rowCells returns how many cells a row has: a pipe behind a backslash divides none.
func rowCells(row text.Segment, source []byte) int {
	row = row.TrimLeftSpace(source)
	row = row.TrimRightSpace(source)
	line := row.Value(source)
	at, end := 0, len(line)
	if end > 0 && line[0] == '|' {
		at++
	}
	if end > 0 && line[end-1] == '|' {
		end--
	}
	n := 0
	for ; at < end; n++ {
		for at < end && (line[at] != '|' || at > 0 && line[at-1] == '\\') {
			at++
		}
		at++
	}
	return n
}
