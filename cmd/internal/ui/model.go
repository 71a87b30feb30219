package ui

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/feed"
	"arbor/engine/ops"
	"arbor/engine/view"
)

// A pane is a part of the screen.
type pane int

const (
	outlinePane pane = iota
	boardPane
	nodePane
)

// A Model is the screen and all that it knows. It is used by one goroutine, except for env and the results of commands.
type Model struct {
	ctx   context.Context
	stop  context.CancelFunc // breaks off what runs
	alone sync.Mutex         // held by the change that runs
	opt   Options
	style render.Style
	exec  func(*exec.Cmd, tea.ExecCallback) tea.Cmd // runs a program that gets the terminal meanwhile
	w, h  int

	plan  plan
	focus pane
	aside pane // what stands beside the outline if only one of the two fits
	node  shownNode
	board boardPlace

	filter   string // the query that the plan is filtered by; "" for none
	wrong    string // why the query that is being typed cannot be read
	prompt   *prompt
	selected map[string]bool    // nodes that the next action is about, besides the one under the cursor
	drafts   map[string]string  // texts that were typed and not saved, by what they are for
	running  *change            // what changes the vault now; nil for nothing
	queue    []change           // what changes it next, in the order of the keys
	waiting  []tea.Msg          // keys and pasted texts that need the result of these
	pressed  int                // counts keys and pasted texts
	refused  map[string]refusal // of nodes whose last change failed, by id
	went     bool               // keys were pressed since the change that has just failed
	quits    bool               // the program ends when all changes are done
	undos    []undoable         // the last one last
	own      map[string]bool    // nodes changed here, whose events need not be told
	help     bool
	helpTop  int
	said     string // the last message
	failed   bool   // the message is about a failure
	asked    int    // counts loads, so that an overtaken one is dropped
	stale    bool   // something changed while a load was under way
	loading  bool
	gone     error // why the vault cannot be read now
}

func newModel(ctx context.Context, opt Options) *Model {
	ctx, stop := context.WithCancel(ctx)
	return &Model{
		ctx: ctx, stop: stop, opt: opt, exec: tea.ExecProcess, w: 80, h: 24, aside: boardPane,
		style:  render.Style{Color: opt.Color, ASCII: opt.ASCII},
		plan:   plan{folded: map[string]bool{}},
		drafts: map[string]string{}, own: map[string]bool{}, selected: map[string]bool{},
		refused: map[string]refusal{},
	}
}

func (m *Model) env() *ops.Env { return m.opt.Env() }

// open loads the plan for the first time.
func (m *Model) open() error {
	l := load(m.ctx, m.env(), m.opt.Workspace, "", nil)
	if l.err != nil {
		return l.err
	}
	m.plan.show(l)
	return nil
}

// happened are the changes by any program that were found at one time.
type happened []feed.Event

// An away says why the vault cannot be read for now; nil: it can be again.
type away struct{ why error }

// Init asks for the node under the cursor.
func (m *Model) Init() tea.Cmd { return m.look() }

// Update answers a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	if look := m.look(); look != nil {
		cmd = tea.Batch(cmd, look)
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.KeyPressMsg, tea.PasteMsg:
		return m.key(msg)
	case loaded:
		return m.arrived(msg)
	case nodeLoaded:
		m.node.arrived(msg)
	case done:
		return m.finished(msg)
	case edited:
		return m.saw(msg)
	case wrote:
		m.wrote(msg)
	case happened:
		m.tell(msg)
		m.node.stale = true
		return m.reload()
	case away:
		m.gone = msg.why
		if msg.why == nil {
			return m.reload()
		}
	}
	return nil
}

// key answers a key or a pasted text at once, unless it needs the result of a change.
func (m *Model) key(msg tea.Msg) tea.Cmd {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = key.String()
	}
	m.pressed++
	switch {
	case name == "ctrl+c", m.quits && name == "q":
		return m.quit()
	case m.quits:
		return nil
	case len(m.waiting) > 0 || m.needsResult(msg):
		m.waiting = append(m.waiting, msg)
		return nil
	}
	return m.typed(msg)
}

// needsResult reports whether a key is about the result of the changes that are not done yet: rows that one of them may
// put elsewhere, or a node as it is.
func (m *Model) needsResult(msg tea.Msg) bool {
	key, isKey := msg.(tea.KeyPressMsg)
	shifts := func(c change) bool { return c.shifts }
	switch {
	case m.running == nil:
		return false
	case m.prompt != nil:
		return m.prompt.saving
	case m.running.shifts || slices.ContainsFunc(m.queue, shifts):
		return true
	case m.help || !isKey:
		return false
	}
	return slices.Contains(strings.Fields(resultKeys), key.String())
}

// typed answers a key or a pasted text.
func (m *Model) typed(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	// Esc and a key right behind it look like Alt with that key.
	if isKey && key.Mod == tea.ModAlt && key.Code > ' ' && key.Code < 0x7f {
		esc, next := tea.KeyPressMsg{Code: tea.KeyEscape}, tea.KeyPressMsg{Code: key.Code, Text: string(key.Code)}
		return tea.Batch(m.typed(esc), m.update(next))
	}
	switch {
	case m.prompt != nil && !isKey:
		return m.pasted(msg.(tea.PasteMsg).Content)
	case m.prompt != nil:
		return m.inPrompt(key)
	case !isKey:
		return nil
	case m.help:
		return m.inHelp(key.String())
	default:
		return m.press(key.String())
	}
}

// say shows a message until the next one.
func (m *Model) say(text string) { m.said, m.failed = text, false }

// fail shows why something did not work.
func (m *Model) fail(err error) { m.said, m.failed = errs.As(err).In(ops.Shell).Message, true }

// reload loads the plan again. While a load is under way, another one follows it.
func (m *Model) reload() tea.Cmd {
	if m.loading {
		m.stale = true
		return nil
	}
	m.loading = true
	m.asked++
	n, query, env, ws, has := m.asked, m.query(), m.env(), string(m.plan.id), m.plan.has
	return func() tea.Msg {
		l := load(m.ctx, env, ws, query, has)
		l.asked = n
		return l
	}
}

// arrived shows a loaded plan unless a newer one was asked for.
func (m *Model) arrived(l loaded) tea.Cmd {
	m.loading = false
	if l.asked == m.asked {
		m.take(l)
	}
	if m.stale || l.query != m.query() {
		m.stale = false
		return m.reload()
	}
	return nil
}

// take shows what a load found. A filter that cannot be read leaves the plan as it is.
func (m *Model) take(l loaded) {
	m.wrong = ""
	if e := errs.As(l.err); e != nil && e.Details != nil && e.Details.Param == "where" {
		m.wrong = e.Message
		return
	}
	if l.err != nil {
		m.fail(l.err)
		return
	}
	if l.out == nil {
		return
	}
	m.plan.show(l)
	m.node.stale = true
}

// query is the filter that counts now: the one that is being typed, or the one that was.
func (m *Model) query() string {
	if m.prompt != nil && m.prompt.what == promptFilter {
		return m.prompt.text()
	}
	return m.filter
}

// tell says what another program did last.
func (m *Model) tell(all happened) {
	words := map[string]string{
		view.Added: "added", view.Altered: "changed", view.Removed: "removed", view.Relocated: "moved",
	}
	for i := range all {
		e := &all[i]
		id := string(e.Node)
		if m.running != nil && slices.Contains(m.running.nodes, id) {
			m.running.heard[id] = true
			continue
		}
		if m.own[id] {
			delete(m.own, id)
			continue
		}
		word := words[e.Kind]
		if word == "" || id == "" {
			continue
		}
		if e.Status != "" && e.Kind == view.Altered {
			word = e.Status
		}
		if m.prompt == nil || m.prompt.what == promptFilter {
			m.say("by another program: " + word + ": " + e.Title)
		}
	}
}
