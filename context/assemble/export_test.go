package assemble

import "arbor/mdstore"

// Reckoned returns the size that the cascade reckoned with when it stopped, and the size that the bundle really has then;
// ok is false where there was nothing to leave out.
func Reckoned(src Source, focus mdstore.ID, opt Options) (reckoned, real int, ok bool) {
	g, err := gather(src, focus, opt)
	if err != nil {
		panic(err)
	}
	m := measureOf(opt.Form)
	reckoned = fit(g.b, m, &g.left)
	g.b.OverBudget = false
	g.b.Tokens = g.b.Budget
	return reckoned, m.whole(g.b), reckoned > 0
}

// EncodedText is what the cascade reckons with for a text in JSON.
var EncodedText = encodedText
