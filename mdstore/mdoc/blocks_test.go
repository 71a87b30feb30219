package mdoc

import (
	"math/rand/v2"
	"os"
	"testing"
)

// lineBag are lines of bodies, to be combined: the meaning of a line depends on the lines
// before it.
var lineBag = []string{
	"", "", "", "  ", "\t", "text", "more text", "登录接口", "**bold** words", "*em*", "_em_ x", "`code` x", "(a)", "\"q\"", "!x", "&amp; x", "\\- x", "$5", ".x", "-x", "--x", "+x", "*x", "1.5 x", "12 apples", "2026-01-01 x", "a | b", "a: b", "#tag", "####### x", "==", "=", "--", "-", "-:", ":-:", "|-|", "- |", "|a|", "- -", "---", "- - -", "***", "* * *", "**", "___", "_ _ _", "- ---", "+ ---", "* -", "- *",
	"# A", "## Log", "## 日志", "##  Two blanks ", "### Sub #", "## a # b", "## a#", "#", "##", "## ", "#\tx", "## x\ty", "###### deep", " ## indented", "    ## code",
	"- a", "- b c", "- [2026-01-01 10:00:00] [AI] Started", "- [x](u): y", "- [[n|d]]", "- [ ] task", "- [x] done", "- [a]: /u", "- [a", "- `a`", "- **a**", "-  two", "-    four", "-     code", "- ", "-\tx", "- - a", "- - ", "- 1. a", "- 1.", "- # h", "- ## Log", "- > q", "- ```", "- ~~~ x", "- <!--", "- <div>", "- |a|", "- ===", "- # ", "* s", "* t", "+ p", "+ q", "1. one", "2. two", "3) x", "1) y", "01. z", "0. n", "10. ten", "999999999. x", "1234567890. x", "1.", "1. ", "1.x", "1.  x", "7. ```",
	"  cont", "  - nested", "  * nested", "  1. nested", "   deep", "    deeper", "      - deepest", "  -", "  [a]: /u", "  [a] b", "  > q", "  >", "  ```", "  ~~~", "  # h", "  ---", "  ===", "  <!--", "  |-|", "   cont", "    - x", " - one", "   - three", "\tx", "  \tx", "  \f",
	"```", "```go", "``` a`b", "~~~", "~~~ a`b", "````", "~~~~", "  ```", "   ~~~", "    ```", "     ~~~", "```x```", "``", "~~", "```\t", "``` \f", "   ``` ",
	"> q", ">", "> - a", "> -", "> - - ", "> ```", "> # q", ">> q", "> > q", ">q", ">\tq", ">     code", "> [a]: /u", "> [a", "> <!--", "> |-|", "> ---", "<!-- c -->", "<!--", "-->", "<div>", "</div>", "<b>x</b>", "<?x", "[a]: /u", "[a]:", "/u", "[a", "b]: /u", "[a]", "[a] x", "[a](b)", "[a\\]", "[`a]", "[a [b]: c", "[]: x", "\u00a0", "\u2028", "\x01", "\f", "\v", "a\fb", "a\vb", "a\x00b", "\ufeff", "x\u0085y",
}

// It puts every pair of lines into the places that matter, and holds what holds for every document. Without ARBOR_HEAVY
// a run takes one pair of four, of other ones each time.
func TestEveryPairOfLinesReadsAsADocument(t *testing.T) {
	every := 4
	if os.Getenv("ARBOR_HEAVY") != "" {
		every = 1
	}
	first := rand.IntN(every)
	for i, a := range lineBag {
		for j, b := range lineBag {
			if (i+j)%every != first {
				continue
			}
			checkDoc(t, []byte("---\nid: a\n---\n## Log\n- a\n"+a+"\n"+b+"\n\n## Note\n\n"+a+"\n\n"+b))
		}
	}
}

func BenchmarkOutline(b *testing.B) {
	for name, src := range arborFiles() {
		body := split(src).body
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				newOutline(src, body, nodeForm)
			}
		})
	}
}
