package ui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the screens in testdata again")

// Screens of the same plan at three sizes, with wide characters, and in ASCII, as testdata/screens has them.
func TestScreens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		w, h  int
		ascii bool
		keys  string // separated by blanks; after = up to the end of the word it is typed
	}{
		{"80x24", 80, 24, false, "j j"},
		{"80x24-board", 80, 24, false, "tab j"},
		{"80x24-node", 80, 24, false, "j j space"},
		{"80x24-adding", 80, 24, false, "j n =新的任务 enter =Second"},
		{"80x24-folded-selected", 80, 24, false, "j h j x k"},
		{"80x24-filter", 80, 24, false, "/ =is:ready"},
		{"80x24-wrong-filter", 80, 24, false, "/ =is:redy"},
		{"80x24-refused", 80, 24, false, "G s c =done enter"},
		{"80x24-ticking", 80, 24, false, "G t space"},
		{"80x24-actions", 80, 24, false, "G a"},
		{"80x24-ascii", 80, 24, true, "j j space"},
		{"80x24-help", 80, 24, false, "?"},
		{"200x50", 200, 50, false, "j j"},
		{"200x50-board", 200, 50, false, "tab"},
		{"200x50-ascii", 200, 50, true, "G s"},
		{"40x16", 40, 16, false, "j j"},
		{"40x16-board", 40, 16, false, "tab"},
		{"40x16-node", 40, 16, false, "j j j space"},
		{"40x16-concluding", 40, 16, false, "j j s c =限流每分钟五次，之后返回错误码四二九，并记录日志以备查询"},
		{"20x5", 20, 5, false, "j"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, tt.w, tt.h)
			s.style.ASCII = tt.ascii
			s.press(strings.Fields(tt.keys)...)
			got := s.shown()
			if tt.ascii {
				s.inASCII(got)
			}
			golden(t, tt.name, tt.keys, got)
		})
	}
}

// golden compares a screen with the one of that name in testdata/screens.
func golden(t *testing.T, name, keys, got string) {
	t.Helper()
	file := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\n got\n%s\nwant\n%s", keys, got, want)
	}
}

// inASCII checks that only titles and texts of the plan have characters beyond ASCII.
func (s *screen) inASCII(got string) {
	s.t.Helper()
	for _, r := range got {
		if r > 0x7f && !strings.ContainsRune("登录接口限流→", r) {
			s.t.Errorf("%q is on a screen of ASCII", r)
		}
	}
}

// Colours add nothing but colours: without them the same is on the screen, and the cursor is a character.
func TestColours(t *testing.T) {
	for _, keys := range []string{"j j", "tab j", "j j space", "G s c =x enter", "?"} {
		plain, coloured := newScreen(t, 80, 24), newScreen(t, 80, 24)
		coloured.style.Color = true
		plain.press(strings.Fields(keys)...)
		coloured.press(strings.Fields(keys)...)
		lines, _ := plain.draw()
		if text := strings.Join(lines, ""); strings.Contains(text, "\x1b") {
			t.Errorf("%s: a screen without colours has escapes: %q", keys, text)
		}
		lines, _ = coloured.draw()
		if text := strings.Join(lines, ""); !strings.Contains(text, "\x1b[7") {
			t.Errorf("%s: no line is reversed: %q", keys, text)
		}
		without := strings.NewReplacer("\n>", "\n ", "\n.", "\n ", "│.", "│ ", "┃>", "┃ ").Replace(plain.shown())
		if got := coloured.shown(); got != without {
			t.Errorf("%s: with colours\n%s\nwithout\n%s", keys, got, without)
		}
	}
}

// At every size the screen has exactly its lines, each as wide as it is: shown checks that.
func TestEverySize(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.do("node_create", map[string]any{"title": strings.Repeat("很长的标题 ", 20) + "👩‍👩‍👧 e\u0301", "requirement": strings.Repeat("字", 300)})
	s.start(80, 24)
	for _, keys := range []string{"", "tab", "tab", "tab ?", "esc G space", "space n =" + strings.Repeat("长", 90), "esc / =zzz"} {
		s.press(strings.Fields(keys)...)
		for w := 20; w < 210; w += 13 {
			for h := 5; h < 60; h += 17 {
				s.w, s.h = w, h
				s.shown()
			}
		}
	}
}
