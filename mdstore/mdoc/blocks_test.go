package mdoc

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// scanEqualsMarkdown fails unless the Markdown parser reads the same blocks and items as the
// scan, if the scan accepts the body. It reports whether it does.
func scanEqualsMarkdown(t interface {
	Helper()
	Fatalf(string, ...any)
}, src []byte, base int) bool {
	t.Helper()
	got, ok := scanBlocks(src, base)
	if !ok {
		return false
	}
	want := parseBlocks(src, base)
	if len(got) != len(want) {
		t.Fatalf("%q\n    scan %+v\nMarkdown %+v", src[base:], got, want)
	}
	for i := range got {
		a, b := got[i], want[i]
		if same := slices.Equal(a.items, b.items); !same || a.kind != b.kind || a.span != b.span || a.lines != b.lines || a.level != b.level || a.title != b.title || a.marks != b.marks || a.number != b.number || a.html != b.html {
			t.Fatalf("%q, block %d\n    scan %+v\nMarkdown %+v", src[base:], i, a, b)
		}
	}
	return true
}

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

// plainBag are the lines that the scan accepts in most places.
var plainBag = []string{"", "", "text", "**bold** words", "[a] x", "# A", "## Log", "### Deep", "- a", "- b c", "- [x](u): y", "* s", "+ p", "1. one", "2. two", "3) x", "  cont", "  - nested", "  ```", "   deep", "    deeper", "> q", "> ## q", "> - a", ">", "```", "```\ncode\n## x\n```", "~~~ go\n\n- a\n~~~"}

// grow builds a body from lines of the bags, and calls check after each line. It mostly
// removes a line that check rejects, so that bodies get long.
func grow(r *rand.Rand, check func(body string) bool) {
	body := ""
	for range 16 {
		bag := plainBag
		if r.IntN(4) == 0 {
			bag = lineBag
		}
		next := body + bag[r.IntN(len(bag))] + []string{"\n", "\n", "\n", "\n", "\n\n", "\r\n", " \n"}[r.IntN(7)]
		if check(next) || r.IntN(40) == 0 {
			body = next
		}
	}
}

// It tries every pair of lines in the places that matter, and random bodies, of which the
// variable ARBOR_PROPERTY_CASES sets the number.
func TestScannedBlocksAreThoseOfTheMarkdownParser(t *testing.T) {
	accepted, blocks := 0, 0
	check := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, body string) bool {
		if !scanEqualsMarkdown(t, []byte(body), 0) {
			return false
		}
		accepted++
		got, _ := scanBlocks([]byte(body), 0)
		blocks += len(got)
		return true
	}
	for _, a := range lineBag {
		for _, b := range lineBag {
			for _, form := range []string{a + "\n" + b + "\n", a + "\n\n" + b, "- a\n" + a + "\n" + b + "\n", "- a\n\n" + a + "\nx\n" + b, "1. a\n" + a + "\n\n" + b + "\n", "text\n" + a + "\n" + b + "\n", "```\n" + a + "\n" + b + "\n```\nx\n"} {
				check(t, form)
			}
		}
	}
	if all := 7 * len(lineBag) * len(lineBag); accepted < all/10 || blocks < accepted {
		t.Errorf("the scan accepts %d of %d bodies with %d blocks: the test proves little", accepted, all, blocks)
	}
	accepted, blocks = 0, 0
	cases := 1000
	if n, err := strconv.Atoi(os.Getenv("ARBOR_PROPERTY_CASES")); err == nil {
		cases = n
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for range cases {
		grow(r, func(body string) bool { return check(t, body) })
	}
	if accepted < cases || blocks < 3*accepted {
		t.Fatalf("the scan accepts %d bodies with %d blocks: the test proves little", accepted, blocks)
	}
	t.Logf("%d bodies with %d blocks", accepted, blocks)
	rapid.Check(t, func(t *rapid.T) { check(t, drawJoined(t, "block", bodyBag, 0, 7)) })
	rapid.Check(t, func(t *rapid.T) { check(t, drawDocument(t)) })
}

// markdownFiles returns the Markdown files of all of testdata.
func markdownFiles(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("../../testdata"), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && (filepath.Ext(path) == ".md" || filepath.Ext(path) == ".txtar") {
			all[path], err = os.ReadFile(filepath.Join("../../testdata", path))
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d Markdown files: %v", len(all), err)
	}
	return all
}

func TestScanAcceptsNearlyAllFilesOfVaults(t *testing.T) {
	accepted, all := 0, 0
	for path, src := range markdownFiles(t) {
		p := split(src)
		scanEqualsMarkdown(t, src, p.body)
		if filepath.Ext(path) == ".md" && p.found {
			all++
			if scanEqualsMarkdown(t, src, p.body) {
				accepted++
			} else {
				t.Logf("the parser's: %s", path)
			}
		}
	}
	t.Logf("%d of %d", accepted, all)
	if accepted < all*8/10 {
		t.Errorf("the scan accepts %d of %d files", accepted, all)
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
		b.Run(name+"/goldmark", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				parseBlocks(src, body)
			}
		})
	}
}

// FuzzOutline compares the scan of blocks with the Markdown parser.
func FuzzOutline(f *testing.F) {
	for _, src := range markdownFiles(f) {
		f.Add(src[split(src).body:])
	}
	for i := range lineBag {
		f.Add([]byte(lineBag[i] + "\n" + lineBag[i*7%len(lineBag)] + "\n\n" + lineBag[i*13%len(lineBag)] + "\n"))
	}
	for _, text := range bodyBag {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if checkBody(src) == nil {
			scanEqualsMarkdown(t, src, 0)
		}
	})
}
