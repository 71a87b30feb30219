package ui

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/context/render"
	"arbor/engine/enginetest"
)

// The pictures of docs/terminal.md are what arbor ui draws now of the plan in docs/pictures/login.
func TestPictures(t *testing.T) {
	for _, p := range []struct {
		name, title string
		w, h        int
		keys        string
	}{
		{"terminal", "arbor ui with 110 columns: the outline, and the board beside it", 110, 22, "j j"},
		{"terminal-wide", "arbor ui with 170 columns: outline, board and a node", 170, 26, "j j"},
		{"terminal-narrow", "arbor ui with 40 columns: the outline alone", 40, 16, "j j"},
	} {
		dir := filepath.Join(t.TempDir(), "vault")
		if err := os.CopyFS(dir, os.DirFS("../../../docs/pictures/login/.tanmi-workspace")); err != nil {
			t.Fatal(err)
		}
		s := &screen{t: t, world: enginetest.Open(t, enginetest.OpenDir(t, dir))}
		s.start(p.w, p.h)
		s.style.Color = true
		s.press(strings.Fields(p.keys)...)
		lines, _ := s.draw()
		got, file := picture(p.title, lines, p.w), filepath.Join("../../../docs/pictures", p.name+".svg")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || got != string(want) {
			t.Errorf("%s is not what the screen shows (%v); -update writes it, then look at it", file, err)
		}
	}
}

const pictureStyle = `<style>
rect { fill: #f6f8fa; stroke: #d0d7de } .back { fill: #ddf4ff; stroke: none }
text { fill: #1f2328; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
.s1 { font-weight: bold } .s2 { fill: #656d76 } .s31 { fill: #cf222e } .s32 { fill: #1a7f37 } .s33 { fill: #9a6700 }
.s34 { fill: #0969da } .s35 { fill: #8250df } .s36 { fill: #1b7c83 }
@media (prefers-color-scheme: dark) {
rect { fill: #0d1117; stroke: #30363d } .back { fill: #1c3a5e } text { fill: #e6edf3 }
.s2 { fill: #8b949e } .s31 { fill: #ff7b72 } .s32 { fill: #3fb950 } .s33 { fill: #d29922 } .s34 { fill: #58a6ff }
.s35 { fill: #bc8cff } .s36 { fill: #39c5cf }
}
</style>
`

// picture draws a screen as SVG; what is reversed on the screen has a background there.
func picture(title string, lines []string, columns int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n<title>%s</title>\n%s",
		columns*8+32, len(lines)*18+28, html.EscapeString(title), pictureStyle)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="8"/>`+"\n", columns*8+31, len(lines)*18+27)
	for y, line := range lines {
		column := 0
		for part := range strings.SplitSeq(line, "\x1b[0m") {
			plain, painted, _ := strings.Cut(part, "\x1b[")
			codes, text, _ := strings.Cut(painted, "m")
			for _, run := range []struct{ text, codes string }{{plain, ""}, {text, codes}} {
				w := render.Columns(run.text)
				class := ""
				for code := range strings.SplitSeq(run.codes, ";") {
					if code == reversed {
						fmt.Fprintf(&b, `<rect class="back" x="%d" y="%d" width="%d" height="18"/>`+"\n", 16+column*8, 15+y*18, w*8)
					} else if code != "" {
						class += " s" + code
					}
				}
				if strings.TrimSpace(run.text) != "" {
					lead := len(run.text) - len(strings.TrimLeft(run.text, " "))
					fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d" textLength="%d">%s</text>`+"\n", strings.TrimSpace(class),
						16+(column+lead)*8, 28+y*18, render.Columns(strings.TrimSpace(run.text))*8, html.EscapeString(strings.TrimSpace(run.text)))
				}
				column += w
			}
		}
	}
	return b.String() + "</svg>\n"
}
