// Package ui shows the plan in a terminal: the outline beside the board and one node, live, and worked on by keyboard.
// It draws what operations of the catalogue return and changes the vault only through them.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"arbor/context/render"
	"arbor/engine/feed"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Options configure the screen of one workspace.
type Options struct {
	Env       func() *ops.Env // the caller of every operation: a person
	Workspace string          // as a person names it; "" if only one can be meant
	Color     bool
	ASCII     bool
	Editor    func(file string) *exec.Cmd // runs the person's editor on a file
	Environ   []string                    // of the process, for what the terminal can do
	In        io.Reader
	Out       io.Writer // the terminal
}

// Run shows the plan until the person quits or ctx ends. If text was typed and not saved, it is kept in a file, and
// kept is a sentence that names it.
func Run(ctx context.Context, opt Options) (kept string, err error) {
	ctx, unhook := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal's window was closed
	defer unhook()
	m := newModel(ctx, opt)
	if err := m.open(); err != nil {
		return "", err
	}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(opt.In), tea.WithOutput(opt.Out),
		tea.WithEnvironment(opt.Environ))
	following, stop := context.WithCancel(ctx)
	followed, ws, env := make(chan struct{}), m.plan.id, m.env()
	go func() {
		defer close(followed)
		follow(following, env, ws, p.Send)
	}()
	_, err = p.Run()
	stop()
	<-followed
	m.stop()
	m.alone.Lock() // a change that runs has its end before the process
	defer m.alone.Unlock()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil
	}
	return m.keepTyped(), err
}

// follow sends each change of a workspace by any program to the screen, until ctx ends.
func follow(ctx context.Context, env *ops.Env, ws mdstore.ID, send func(tea.Msg)) {
	f := &feed.Feed{
		Workspace: ws,
		Tell:      func(r feed.Report) error { send(happened(r.Events)); return nil },
		Away:      func(why error) { send(away{why}) },
		Heads:     true,
	}
	if err := f.Run(ctx, env.Engine.Live()); ctx.Err() == nil {
		send(away{fmt.Errorf("changes by others are no longer shown: %w; quit and start arbor ui again", err)})
	}
}

// keepTyped writes the texts that were typed and not saved to a file, and says where it is. It returns "" if there are
// none.
func (m *Model) keepTyped() string {
	all := m.unsaved()
	if len(all) == 0 {
		return ""
	}
	file, err := kept(strings.Join(all, "\n\n") + "\n")
	if err != nil {
		return "what you typed was not saved:\n" + render.VisibleLines(strings.Join(all, "\n\n"))
	}
	return "what you typed and did not save is in " + file
}

// kept writes a text to a new file and returns its path.
func kept(text string) (string, error) {
	f, err := os.CreateTemp("", "arbor-text-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}
