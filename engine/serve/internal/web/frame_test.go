package web

import "testing"

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
	if y := p.eval(`document.querySelector(".rail nav").getBoundingClientRect().bottom`).(float64); y != 844 {
		t.Errorf("the views end at %v", y)
	}
	p.click("button|More")
	p.click("#rest a|Memory")
	p.until(`location.pathname === "/memory"`)
	p.click("#new")
	p.until(`location.pathname === "/plan" && document.activeElement.closest("#adding")`)
}
