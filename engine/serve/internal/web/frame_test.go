package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A person chooses the colours, which stay after a reload; on a phone, the views are at the bottom, further ones behind
// "More", and the first row of the plan is near the top.
func TestTheFrameFitsAPhoneAndKeepsTheColours(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.plan()
	p := b.open(w, "/plan")
	back := `getComputedStyle(document.body).backgroundColor`
	light := p.eval(back)
	p.click("#theme")
	p.click("#theme")
	p.until(back + ` !== ` + quoted(light.(string)))
	p.visit("/")
	p.until(`document.documentElement.dataset.theme === "dark" && ` + back + ` !== ` + quoted(light.(string)))
	p.click("#theme")
	p.until(`document.cookie === "" && ` + back + ` === ` + quoted(light.(string)))
	p.size(390, 844)
	p.visit("/plan")
	if y := p.eval(`document.querySelector("#tree li .leaf").getBoundingClientRect().top`).(float64); y > 160 {
		t.Errorf("the first row is at %v", y)
	}
	for _, path := range []string{"/plan", "/plan?lang=zh", "/board?lang=en"} { // the hint of the filter is whole
		p.visit(path)
		wide := p.eval(`(() => { const f = document.querySelector("#filter"), has = f.offsetWidth;
			f.style.cssText = "field-sizing: content; width: auto; max-width: none"; return [f.offsetWidth, has] })()`).([]any)
		if wide[0].(float64) > wide[1].(float64) || wide[0].(float64) < 60 {
			t.Errorf("%s: the hint takes %v of %v", path, wide[0], wide[1])
		}
	}
	p.visit("/plan")
	if y := p.eval(`document.querySelector(".rail nav").getBoundingClientRect().bottom`).(float64); y != 844 {
		t.Errorf("the views end at %v", y)
	}
	p.click("button|More")
	p.click("#rest a|Memory")
	p.until(`location.pathname === "/memory"`)
	p.click("#new")
	p.until(`location.pathname === "/plan" && document.activeElement.closest("#adding")`)
}

// A flushed is the reply to a request, with what is done when its first bytes are sent.
type flushed struct {
	*httptest.ResponseRecorder
	first func()
}

func (f *flushed) Flush() {
	if f.ResponseRecorder.Flush(); f.first != nil {
		f.first()
		f.first = nil
	}
}

// The view of check sends its frame before it looks at any file. So its first byte comes at once, and what somebody
// writes meanwhile is seen.
func TestCheckSendsItsFrameFirst(t *testing.T) {
	w := newWorld(t, nil)
	w.follow()
	_, first, _ := w.plan()
	for _, accepts := range []string{"", "gzip"} {
		at := context.WithValue(t.Context(), http.LocalAddrContextKey, w.server.Listener.Addr()) // the cookie's name has it
		r := httptest.NewRequestWithContext(at, http.MethodGet, w.server.URL+"/check", http.NoBody)
		r.Header.Set("Accept-Encoding", accepts)
		for _, c := range w.guest.Jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
		out := &flushed{ResponseRecorder: httptest.NewRecorder()}
		out.first = func() {
			if accepts == "" && !strings.Contains(out.Body.String(), "Looking at every file") {
				t.Errorf("the first bytes are not the frame: %s", out.Body)
			}
			w.saved(first, "status: pending", "status: nonsense")
		}
		w.site.Handler().ServeHTTP(out, r)
		if accepts == "" && !strings.Contains(out.Body.String(), "nonsense") {
			t.Errorf("what was written after the frame is not seen: %s", out.Body)
		}
		if out.first != nil {
			t.Errorf("with Accept-Encoding %q nothing is sent before the end", accepts)
		}
		w.saved(first, "status: nonsense", "status: pending")
	}
}
