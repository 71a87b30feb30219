package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Phone, laptop and watch of one person are connected at the same time, each through a process of its own, which ends
// after one message. Each new process knows all that the device said before, and nothing that another one said.
func TestDevicesConnectAgain(t *testing.T) {
	rounds := 3
	if os.Getenv("ARBOR_HEAVY") != "" {
		rounds = 334
	}
	first := newDesk(t)
	first.arbor("init", "Project", "--goal", "g")
	var all sync.WaitGroup
	for _, device := range []string{"phone", "laptop", "watch"} {
		all.Go(func() {
			d, home, said := &desk{t: t, dir: first.dir, env: first.env, device: device}, "", []string{}
			for i := range rounds {
				if d.connect(); t.Failed() {
					return
				}
				got := []string{}
				messages, _ := d.call("transcript_read", `{"last":5}`, 500)["messages"].([]any)
				for _, m := range messages {
					got = append(got, m.(map[string]any)["text"].(string))
				}
				if want := said[max(0, i-5):]; !slices.Equal(got, want) {
					t.Errorf("process %d of %s reads %q, want %q", i, device, got, want)
				}
				ws := d.call("workspace_get", "{}", 500)["workspace"].(map[string]any)["id"].(string)
				if home != "" && ws != home {
					t.Errorf("process %d of %s means %s, want %s", i, device, ws, home)
				}
				home, said = ws, append(said, fmt.Sprint(device, i))
				d.call("transcript_append", fmt.Sprintf(`{"role":"user","text":"%s%d"}`, device, i), 200)
				d.leave()
			}
		})
	}
	all.Wait()
	t.Logf("%d processes of 3 devices", 3*rounds)
	if list := first.arbor("status"); !strings.Contains(list, "Project") {
		t.Errorf("a command that names no workspace is about %s", list)
	}
}
