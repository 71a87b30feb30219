package web

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// A codeForm says what comments and strings of a language begin with. Its words are those of many languages: a word
// that is none in this one is rarely a name in it.
type codeForm struct {
	line, open, end string // of a comment up to the end of the line, and of one over several lines; "" for none
	quotes          string
	fold            bool // words in capitals are words, too
}

var (
	likeC     = codeForm{line: "//", open: "/*", end: "*/", quotes: "\"'`"}
	likeShell = codeForm{line: "#", quotes: `"'`}
	likeSQL   = codeForm{line: "--", open: "/*", end: "*/", quotes: `'"`, fold: true}
	likeCSS   = codeForm{open: "/*", end: "*/", quotes: `"'`}
	likeHTML  = codeForm{open: "<!--", end: "-->", quotes: `"`}
)

// codeForms has the languages whose code is marked, by the name behind the fence.
var codeForms = map[string]codeForm{}

func init() {
	for form, names := range map[*codeForm]string{
		&likeC: "c h cc cpp c++ cs csharp dart go golang groovy java javascript js json json5 jsonc jsx kotlin kt objc php " +
			"proto rs rust scala swift ts tsx typescript zig",
		&likeShell: "awk bash cmake conf dockerfile elixir fish ini julia make makefile nix perl pl powershell ps1 py " +
			"python r rb ruby sh shell toml yaml yml zsh",
		&likeSQL: "sql postgres postgresql mysql sqlite lua haskell hs ada", &likeCSS: "css scss less",
		&likeHTML: "html xml svg vue svelte",
	} {
		for name := range strings.FieldsSeq(names) {
			codeForms[name] = *form
		}
	}
}

var codeWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`abstract and as async await begin break by case catch chan class const continue
		create def default defer delete do done drop elif else end enum esac except export extends false fallthrough fi
		final finally fn for from func function go goto group having if impl implements import in insert instanceof
		interface into is join lambda let limit local loop map match mod module mut namespace new nil none not null of on
		or order package pass private protected pub public raise range ref return select self set sizeof static struct
		super switch table then this throw throws trait true try type typeof union unless unsafe until update use using
		values var void where while with yield True False None`) {
		all[w] = true
	}
	return all
}()

// code renders a block of code: words of its language bold, comments in italics.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var text bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		text.Write(line.Value(source))
	}
	_, _ = w.WriteString("<pre><code>")
	name := strings.ToLower(string(n.(*ast.FencedCodeBlock).Language(source)))
	if form, known := codeForms[name]; known {
		form.mark(w, text.Bytes())
	} else {
		html.DefaultWriter.RawWrite(w, text.Bytes())
	}
	_, err := w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, err
}

// mark writes code as HTML. It goes through it once, and what it takes for a comment or a word by mistake stays the
// same text.
func (f codeForm) mark(w util.BufWriter, code []byte) {
	put := func(element string, part []byte) {
		if element == "" {
			html.DefaultWriter.RawWrite(w, part)
			return
		}
		_, _ = w.WriteString("<" + element + ">")
		html.DefaultWriter.RawWrite(w, part)
		_, _ = w.WriteString("</" + element + ">")
	}
	plain := 0 // where what is not written yet begins
	for i := 0; i < len(code); {
		end, element := i+1, ""
		switch c, rest := code[i], code[i:]; {
		case startsWith(rest, f.line):
			end, element = i+upTo(rest, "\n"), "i"
		case startsWith(rest, f.open):
			end, element = i+past(rest[len(f.open):], f.end)+len(f.open), "i"
		case strings.IndexByte(f.quotes, c) >= 0:
			end = i + stringEnd(rest)
		case isWordByte(c):
			for end < len(code) && isWordByte(code[end]) {
				end++
			}
			if word := string(code[i:end]); codeWords[word] || f.fold && codeWords[strings.ToLower(word)] {
				element = "b"
			}
		}
		if element != "" {
			put("", code[plain:i])
			put(element, code[i:end])
			plain = end
		}
		i = end
	}
	put("", code[plain:])
}

func startsWith(code []byte, mark string) bool {
	return mark != "" && bytes.HasPrefix(code, []byte(mark))
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// upTo returns where the text begins in the code, and past where it has ended; both return the length if it is not
// there.
func upTo(code []byte, text string) int {
	if i := bytes.Index(code, []byte(text)); i >= 0 {
		return i
	}
	return len(code)
}

func past(code []byte, text string) int { return min(upTo(code, text)+len(text), len(code)) }

// stringEnd returns the length of a string, which ends at the end of its line at the latest, but for one in backquotes.
func stringEnd(code []byte) int {
	for i := 1; i < len(code); i++ {
		switch code[i] {
		case code[0]:
			return i + 1
		case '\\':
			i++
		case '\n':
			if code[0] != '`' {
				return i
			}
		}
	}
	return len(code)
}
