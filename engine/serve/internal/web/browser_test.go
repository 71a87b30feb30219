package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests drive a Chromium by the DevTools protocol, over a pipe: messages of JSON, each ended by a zero byte
// (https://chromedevtools.github.io/devtools-protocol/). Nothing listens, and nothing is left when the tests end.

// A program is the one Chromium of all tests.
type program struct {
	in   io.WriteCloser
	cmd  *exec.Cmd
	said bytes.Buffer
	home string        // its profile
	read chan struct{} // closed when nothing comes from it any more

	mu    sync.Mutex
	last  int
	wait  map[int]chan reply
	pages map[string]*page // by session
	gone  error
}

// A browser is what one test sees of the program: tabs with storage and cookies of their own.
type browser struct {
	*program
	t       *testing.T
	context string
}

type reply struct {
	ID      int
	Session string `json:"sessionId"`
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Error   *struct{ Message string }
}

// patience is how long the tests wait for a condition. A browser is slow on a machine that is busy with other tests.
const patience = 30 * time.Second

func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("ARBOR_NEEDS_CHROMIUM") != "" {
		t.Fatal("there is no Chromium, and ARBOR_NEEDS_CHROMIUM says that there has to be")
	}
	t.Skip("there is no Chromium; on Debian: apt-get install chromium")
	return ""
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no browser is started")
	}
	path := chromium(t)
	begin.Do(func() { running, absent = start(path) })
	if absent != nil {
		t.Fatal(absent)
	}
	b := &browser{program: running, t: t}
	var made struct{ BrowserContextID string }
	b.must("", "Target.createBrowserContext", map[string]any{}, &made)
	b.context = made.BrowserContextID
	t.Cleanup(func() {
		_, _ = b.call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": b.context}) // it may be gone
		if t.Failed() && b.gone != nil {
			t.Logf("chromium said:\n%.2000s", b.said.String())
		}
	})
	return b
}

var (
	begin   sync.Once
	running *program // nil if no test needed it
	absent  error    // why it could not be started
)

func start(path string) (*program, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "arbor-chromium-")
	if err != nil {
		return nil, err
	}
	p := &program{in: ourOut, home: home, read: make(chan struct{}), wait: map[int]chan reply{}, pages: map[string]*page{}}
	p.cmd = exec.Command(path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
		"--force-color-profile=srgb", "--lang=en", "--host-resolver-rules=MAP *.test 127.0.0.1", "--user-data-dir="+home, "about:blank")
	p.cmd.Stderr = &p.said
	p.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_ = theirIn.Close()
	_ = theirOut.Close()
	go func() {
		defer close(p.read)
		defer ourIn.Close()
		p.hear(ourIn)
	}()
	return p, nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	if p := running; p != nil {
		_, _ = p.call("", "Browser.close", nil) // there may be no answer
		_ = p.in.Close()
		_ = p.cmd.Wait()
		<-p.read
		_ = os.RemoveAll(p.home)
	}
	os.Exit(code)
}

// hear passes on what the program says.
func (b *program) hear(from io.Reader) {
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		data, err := in.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.gone = fmt.Errorf("the browser is gone: %w", err)
			for id, c := range b.wait {
				delete(b.wait, id)
				close(c)
			}
			b.mu.Unlock()
			return
		}
		var r reply
		if json.Unmarshal(data[:len(data)-1], &r) != nil {
			continue
		}
		b.mu.Lock()
		if r.ID == 0 {
			if p := b.pages[r.Session]; p != nil {
				p.hear(r)
			}
		} else if c := b.wait[r.ID]; c != nil {
			delete(b.wait, r.ID)
			c <- r
		}
		b.mu.Unlock()
	}
}

// call calls a method of the browser, or of the page of a session, and waits for the answer.
func (b *program) call(session, method string, params any) (json.RawMessage, error) {
	c := make(chan reply, 1)
	b.mu.Lock()
	if b.gone != nil {
		b.mu.Unlock()
		return nil, b.gone
	}
	b.last++
	id := b.last
	b.wait[id] = c
	data, err := json.Marshal(map[string]any{"id": id, "sessionId": session, "method": method, "params": params})
	if session == "" {
		data, err = json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	}
	if err == nil {
		_, err = b.in.Write(append(data, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience+10*time.Second)
	defer cancel()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no answer", method)
	case r, ok := <-c:
		if !ok {
			return nil, b.gone
		}
		if r.Error != nil {
			return nil, errors.New(method + ": " + r.Error.Message)
		}
		return r.Result, nil
	}
}

// A page is a tab.
type page struct {
	b       *browser
	t       *testing.T
	session string
	target  string
	base    string

	clicks, pressed int // clicks and key presses of the test, but those that write texts

	mu     sync.Mutex
	errors []string // errors in its console
}

// open opens a tab at the page of a world, logged in by an invitation. When the test ends its console must be empty.
func (b *browser) open(w *world, path string) *page {
	b.t.Helper()
	p := b.tab(w.server.URL)
	p.goTo(w.server.URL + "/#token=" + w.site.Invite())
	p.until(`!!document.querySelector("nav")`)
	p.said() // the shell came with 401
	if path != "/" {
		p.visit(path)
	}
	b.t.Cleanup(func() {
		for _, e := range p.said() {
			b.t.Errorf("the console says: %s", e)
		}
	})
	return p
}

// tab opens an empty tab.
func (b *browser) tab(base string) *page {
	b.t.Helper()
	var made struct{ TargetID, SessionID string }
	b.must("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": b.context}, &made)
	b.must("", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	p := &page{b: b, t: b.t, session: made.SessionID, target: made.TargetID, base: base}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.call(domain+".enable", nil, nil)
	}
	p.size(1280, 900)
	return p
}

func (b *browser) must(session, method string, params, into any) {
	b.t.Helper()
	res, err := b.call(session, method, params)
	if err == nil && into != nil {
		err = json.Unmarshal(res, into)
	}
	if err != nil {
		b.t.Fatalf("%v", err)
	}
}

func (p *page) call(method string, params, into any) {
	p.t.Helper()
	p.b.must(p.session, method, params, into)
}

// hear collects the errors of the console.
func (p *page) hear(r reply) {
	var e struct {
		Type  string
		Args  []struct{ Value any }
		Entry struct{ Level, Text, URL string }
		// the fields of an exception
		Details struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	if json.Unmarshal(r.Params, &e) != nil {
		return
	}
	said := ""
	switch {
	case r.Method == "Runtime.exceptionThrown":
		said = e.Details.Text + " " + e.Details.Exception.Description
	case r.Method == "Runtime.consoleAPICalled" && e.Type == "error":
		said = fmt.Sprint(e.Args)
	case r.Method == "Log.entryAdded" && e.Entry.Level == "error":
		said = e.Entry.Text + " " + e.Entry.URL
	default:
		return
	}
	p.mu.Lock()
	p.errors = append(p.errors, said)
	p.mu.Unlock()
}

// said returns the errors of the console since its last call.
func (p *page) said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.errors
	p.errors = nil
	return all
}

// goTo opens an address in the tab and waits until it has loaded.
func (p *page) goTo(address string) {
	p.t.Helper()
	p.eval(`window.isLeft = true`)
	p.call("Page.navigate", map[string]any{"url": address}, nil)
	p.until(`!window.isLeft && document.readyState === "complete"`)
}

// visit opens a path of the site.
func (p *page) visit(path string) {
	p.t.Helper()
	p.goTo(p.base + path)
	p.until(`document.readyState === "complete" && location.pathname + location.search === ` + quoted(path))
}

func quoted(s string) string {
	q, _ := json.Marshal(s)
	return string(q)
}

// eval returns the value of an expression, or of its promise.
func (p *page) eval(expr string) any {
	p.t.Helper()
	v, err := p.try(expr)
	if err != nil {
		p.t.Fatalf("%s: %v", expr, err)
	}
	return v
}

func (p *page) try(expr string) (any, error) {
	res, err := p.b.call(p.session, "Runtime.evaluate", map[string]any{"expression": expr, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	if err != nil {
		return nil, err
	}
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(res, &out); err != nil {
		return nil, err
	}
	if x := out.ExceptionDetails; x != nil {
		return nil, errors.New(x.Text + " " + x.Exception.Description)
	}
	return out.Result.Value, nil
}

// until waits until an expression is true in the page, also across reloads and visits.
func (p *page) until(expr string) {
	p.t.Helper()
	over := time.Now().Add(patience)
	for {
		v, err := p.try(`new Promise((done) => { const over = performance.now() + 2000; const look = () => {
			let v = false; try { v = !!(` + expr + `) } catch (e) {}
			if (v || performance.now() > over) done(v); else setTimeout(look, 20); }; look() })`)
		if v == true {
			return
		}
		if err != nil && p.b.gone != nil {
			p.t.Fatal(err)
		}
		if time.Now().After(over) {
			body, _ := p.try(`document.location.href + "\n" + document.body.innerText.slice(0, 3000)`)
			p.t.Fatalf("it never came to this: %s (%v)\n%v", expr, err, body)
		}
	}
}

// sees waits until the page shows a text.
func (p *page) sees(text string) {
	p.t.Helper()
	p.until(`document.body.innerText.includes(` + quoted(text) + `)`)
}

// click clicks with the mouse into the middle of the first visible element that matches. A choice is a selector, or a
// selector and a text in the element: "button|Save".
func (p *page) click(choice string) {
	p.t.Helper()
	sel, text, _ := strings.Cut(choice, "|")
	find := `[...document.querySelectorAll(` + quoted(sel) + `)].find((e) => e.offsetParent !== null && e.innerText.includes(` + quoted(text) + `))`
	p.until(`document.readyState === "complete" && ` + find) // the script listens by then
	p.clicks++
	at := p.eval(`(() => { const e = ` + find + `; e.scrollIntoView({ block: "center" }); const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2] })()`).([]any)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

// write types a text at the focus.
func (p *page) write(text string) {
	p.t.Helper()
	p.call("Input.insertText", map[string]any{"text": text}, nil)
}

// keys presses keys one after the other, by their names. "Shift+X" and "Alt+X" hold Shift or Alt.
func (p *page) keys(names ...string) {
	p.t.Helper()
	p.until(`document.readyState === "complete"`) // the script listens by then
	p.pressed += len(names)
	codes := map[string]int{"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}
	for _, name := range names {
		held := 0
		for word, bit := range map[string]int{"Alt+": 1, "Control+": 2, "Shift+": 8} {
			if rest, ok := strings.CutPrefix(name, word); ok {
				name, held = rest, held|bit
			}
		}
		key := map[string]any{"type": "keyDown", "key": name, "code": name, "modifiers": held, "windowsVirtualKeyCode": codes[name]}
		switch {
		case name == "Enter":
			key["text"] = "\r"
		case len([]rune(name)) == 1 && held&3 == 0:
			key["text"] = name
		}
		p.call("Input.dispatchKeyEvent", key, nil)
		key["type"] = "keyUp"
		delete(key, "text")
		p.call("Input.dispatchKeyEvent", key, nil)
	}
}

// size sets the size of the window, in pixels.
func (p *page) size(width, height int) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// dark selects the dark or the light colours.
func (p *page) dark(on bool) {
	p.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// front shows the tab, which hides the one that was shown.
func (p *page) front() {
	p.t.Helper()
	p.call("Page.bringToFront", nil, nil)
}

// picture saves a screenshot of the tab, in the format that the name of the file says.
func (p *page) picture(file string) {
	p.t.Helper()
	var out struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": strings.TrimPrefix(filepath.Ext(file), "."), "quality": 25}, &out)
	data, err := base64.StdEncoding.DecodeString(out.Data)
	if err == nil {
		err = os.WriteFile(file, data, 0o666)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
