package ui

import (
	"strings"
	"testing"
)

// An action is about the node for which it was begun, also if others change the plan before its text is complete.
func TestActionsStayWithTheirNode(t *testing.T) {
	s := newScreen(t, 100, 24)
	s.press("j", "j", "s", "c", "=Five tries a minute")
	s.other("node_create", map[string]any{"title": "Above", "before": "Sign-in endpoint", "parentId": "Backend"})
	s.other("node_move", map[string]any{"nodeId": "Sign-in endpoint", "newParentId": "root"})
	s.has("Five tries a minute")
	s.press("enter")
	s.has("completed: Sign-in endpoint", "✓ Sign-in endpoint")

	s.press("g", "j", "j", "j", "s", "c", "=限流")
	s.other("node_delete", map[string]any{"nodeId": "登录接口"})
	s.press("enter")
	if !s.failed || s.prompt == nil || s.prompt.text() != "限流" {
		t.Errorf("the text about a node that is gone: %q\n%s", s.said, s.shown())
	}
	s.press("esc", "g", "j", "r", "=!")
	s.other("node_delete", map[string]any{"nodeId": "Backend"})
	s.has("rename:", "Backend!")
	s.press("enter")
	s.has("rename:", "Backend!")
	s.press("esc")
	if all := strings.Join(s.unsaved(), "\n"); !strings.Contains(all, "Backend!") || !strings.Contains(all, "限流") {
		t.Errorf("kept is %q", all)
	}
	s.press("G", "t")
	s.other("node_delete", map[string]any{"nodeId": "Docs"})
	s.press("space")
	s.has("the node is gone")
}

// One action is about all selected nodes, also those of a folded branch; it is refused if a filter hides some of them.
func TestSelectedNodes(t *testing.T) {
	s := newScreen(t, 100, 24)
	s.press("j", "j", "x", "x", "h", "h", "h")
	s.has("2 chosen")
	s.press("/", "=Docs", "enter", "s")
	s.has("does not match the filter")
	s.press("/", "ctrl+u", "enter", "s")
	s.has("◐ implementing 2", "implementing: Sign-in endpoint and 1 other")
	s.hasNot("selected")
	s.press("G", "x", "L")
	s.has("moved: Docs")
	if r := s.plan.rows[s.plan.row(s.plan.selected())]; r.Title != "Docs" || r.above.Title != "Backend" {
		t.Errorf("the cursor is on %s, in %s", r.Title, r.above.Title)
	}
}

// Several pasted lines in place of a title become nodes, as on the page; a pasted title is one line.
func TestPastedLines(t *testing.T) {
	s := newScreen(t, 100, 24)
	s.press("g", "n")
	s.paste("Pages\n")
	s.press("enter", "shift+tab")
	s.paste("- Design\n  - Colours\n  - Fonts\n- Build\n")
	s.press("esc")
	s.has("○ Pages", "◈ Design", "○ Colours", "○ Build")
}
