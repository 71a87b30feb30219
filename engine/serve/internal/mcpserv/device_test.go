package mcpserv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

var everyTool = Options{Toolsets: []string{"all"}}

// A device has its own: no call that names no workspace means it, another device does not see it without the option,
// and it writes at once where it connects again. The deprecated name of its identifier is read, too.
func TestADeviceHasItsOwn(t *testing.T) {
	w, c := newClocked(t, Options{})
	phone := openLineAs(t, w.beside(c, everyTool).engine, everyTool, `{"device_id":"phone/1"}`)
	phone.do("session_start", map[string]any{"name": "chat"})
	phone.do("transcript_append", map[string]any{"role": "user", "text": "hello"})
	phone = openLineAs(t, w.beside(c, everyTool).engine, everyTool, `{"sessionId":"phone/1","device_id":"other"}`)
	phone.do("transcript_append", map[string]any{"role": "assistant", "text": "welcome"})
	if got := messagesOf(phone, 0); !slices.Equal(got, []string{"user: hello", "assistant: welcome"}) {
		t.Errorf("after a reconnect: %v", got)
	}
	id := phone.do("workspace_get", nil)["workspace"].(map[string]any)["id"].(string)
	name := map[string]any{"workspaceId": id}
	tablet := openLineAs(t, w.engine, everyTool, `{"sessionId":"tablet"}`)
	if s := tablet.call("workspace_get", jsonOf(t, name)); !s.wrong {
		t.Errorf("another device names it: %s", s.text)
	}
	if list, _ := tablet.ask("resources/list", `{}`); strings.Contains(string(list), id) {
		t.Errorf("another device is offered it: %s", list)
	}
	read, fault := tablet.ask("resources/read", `{"uri":"arbor://`+id+`/tree"}`)
	if mine, _ := phone.ask("resources/read", `{"uri":"arbor://`+id+`/tree"}`); fault == "" || mine == nil {
		t.Errorf("another device reads %s; the device itself %s", read, mine)
	}
	if _, fault := tablet.ask("resources/subscribe", `{"uri":"arbor://`+id+`/tree"}`); fault == "" {
		t.Error("another device is told of changes")
	}
	option := everyTool
	option.AllIdentifiers = true
	openLineAs(t, w.engine, option, `{"sessionId":"tablet"}`).do("workspace_get", name)
	personal := everyTool
	personal.Personal = true
	mine := openLineAs(t, w.engine, personal, "{}").do("workspace_get", nil)["workspace"].(map[string]any)["id"]
	if mine != string(mdstore.DefaultWorkspace) {
		t.Errorf("in a person's own vault a call without an identifier means %v", mine)
	}
	if v, err := (&ops.Env{Engine: w.engine}).In(t.Context(), ""); err != nil || v.Workspace().ID != planID {
		t.Errorf("a call that names none means %v, %v", v, err)
	}
	_, err := (&ops.Env{Engine: w.engine, Where: ops.Where{Own: "tablet"}}).In(t.Context(), id)
	if e := errs.As(err); e == nil || e.Code != errs.WorkspaceNotFound {
		t.Errorf("a call of another device that names it: %v", err)
	}
}

// messagesOf returns the last messages of the conversation, 0: all.
func messagesOf(l *line, last int) (all []string) {
	l.Helper()
	messages, _ := l.do("transcript_read", map[string]any{"last": last})["messages"].([]any) // a brief reply has no empty list
	for _, m := range messages {
		m := m.(map[string]any)
		all = append(all, fmt.Sprint(m["role"], ": ", m["text"]))
	}
	return all
}

// Phone, laptop and watch of one person connect again and again, each time to one of three engines over one vault, and
// at times the bindings are torn or gone: each finds its workspace and its messages, nobody another's.
func TestDevicesFindTheirOwnAgain(t *testing.T) {
	reconnects := 40
	if enginetest.Heavy {
		reconnects = 1000
	}
	w, c := newClocked(t, Options{})
	engines := []*world{w.beside(c, everyTool), w.beside(c, everyTool), w.beside(c, everyTool)}
	random := rand.New(rand.NewPCG(1, 2))
	said, home := map[string][]string{}, map[string]any{}
	for i := range reconnects {
		device := []string{"phone", "laptop", "watch/ä"}[random.IntN(3)]
		at := engines[random.IntN(3)].engine
		if i%20 == 19 {
			c.tick(30 * time.Hour) // sessions are over meanwhile
			if whole := w.read(mdstore.SessionsFile); random.IntN(4) == 0 {
				w.store.Put(mdstore.SessionsFile, nil)
			} else {
				w.store.Put(mdstore.SessionsFile, []byte(whole[:random.IntN(len(whole))]))
			}
		}
		t.Run("", func(t *testing.T) {
			l := openLineAs(t, at, everyTool, jsonOf(t, map[string]any{"sessionId": device}))
			known := said[device]
			if got := messagesOf(l, 3); !slices.Equal(got, known[max(0, len(known)-3):]) {
				t.Fatalf("reconnect %d: %s reads %v, want the end of %v", i, device, got, known)
			}
			if i%7 == 0 {
				l.do("session_start", map[string]any{"name": fmt.Sprint("session ", i)})
			}
			text := fmt.Sprintf("%s %d", device, i)
			l.do("transcript_append", map[string]any{"role": "user", "text": text})
			said[device] = append(known, "user: "+text)
			id := l.do("workspace_get", nil)["workspace"].(map[string]any)["id"]
			if first, met := home[device]; met && id != first {
				t.Fatalf("reconnect %d: the workspace of %s is %v, want %v", i, device, id, first)
			}
			home[device] = id
		})
		if t.Failed() {
			return
		}
	}
	for device, want := range said {
		env := &ops.Env{Engine: engines[0].engine, Where: ops.Where{Identifier: device, Own: device}}
		out, err := ops.TranscriptRead(t.Context(), env, ops.TranscriptReadIn{})
		if err != nil || len(out.Messages) != len(want) {
			t.Errorf("%s has %d messages, want %d: %v", device, len(out.Messages), len(want), err)
		}
	}
	t.Logf("%d reconnects of %d devices", reconnects, len(said))
}
