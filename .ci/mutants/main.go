//go:build ignore

// Mutants changes conditions, constants and results of the program, one at a time, and runs the tests of the package,
// and then those of others that use it. It prints the changes that no test notices. Nothing is written outside of a
// temporary folder: go reads the changed file as an overlay.
//
//	go run .ci/mutants/main.go [-n 40] [-seed N] [-also PACKAGES] [PACKAGE...]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A mutant is a change of a file: the bytes from at to end are text.
type mutant struct {
	file    string
	line    int
	at, end int
	text    string
}

var opposite = map[token.Token]string{token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-"}

// mutants returns every change that a file can have.
func mutants(file string) (all []mutant) {
	src, err := os.ReadFile(file)
	check(err)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, 0)
	check(err)
	add := func(from, to token.Pos, text string) {
		p := fset.Position(from)
		all = append(all, mutant{file, p.Line, p.Offset, fset.Position(to).Offset, text})
	}
	text := func(n ast.Node) string {
		return string(src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.IMPORT && n.Tok != token.TYPE
		case *ast.IfStmt:
			if b, ok := n.Cond.(*ast.BinaryExpr); ok && text(b.Y) == "nil" {
				return true // whether an error is looked at: a fault has to be made to see it
			}
			add(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
		case *ast.BinaryExpr:
			to, ok := opposite[n.Op]
			if _, str := n.X.(*ast.BasicLit); ok && text(n.Y) != "nil" && !(n.Op == token.ADD && (str || strings.ContainsAny(text(n), "\"`"))) {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to)
			}
		case *ast.BasicLit:
			if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
				add(n.Pos(), n.End(), strconv.Itoa(v+1))
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				switch text(r) {
				case "true":
					add(r.Pos(), r.End(), "false")
				case "false":
					add(r.Pos(), r.End(), "true")
				}
			}
		}
		return true
	})
	return all
}

// noticed reports whether the tests of packages fail with a change, and whether it compiles.
func noticed(m mutant, packages ...string) (fails, compiles bool) {
	dir, err := os.MkdirTemp("", "mutant")
	check(err)
	defer os.RemoveAll(dir)
	src, err := os.ReadFile(m.file)
	check(err)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	check(os.WriteFile(changed, []byte(string(src[:m.at])+m.text+string(src[m.end:])), 0o600))
	abs, err := filepath.Abs(m.file)
	check(err)
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: changed}})
	check(err)
	check(os.WriteFile(overlay, data, 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", append([]string{"vet", "-overlay", overlay}, packages...)...).CombinedOutput(); err != nil && bytes.Contains(out, []byte(".go:")) {
		return true, false
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-timeout", "10m", "-overlay", overlay}, packages...)...)
	return cmd.Run() != nil, true
}

func main() {
	n := flag.Int("n", 40, "how many changes are tried")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "which ones")
	also := flag.String("also", "./engine/ops ./cmd/arbor", "packages whose tests are run where the package's own notice nothing")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./statemachine", "./mdstore/...", "./context/...", "./engine/..."}
	}
	out, err := exec.Command("go", append([]string{"list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`}, packages...)...).Output()
	check(err)
	var all []mutant
	here, err := os.Getwd()
	check(err)
	for file := range strings.FieldsSeq(string(out)) {
		rel, err := filepath.Rel(here, file)
		check(err)
		if !strings.Contains(rel, "test/") && !strings.Contains(rel, "/internal/fixtures/") {
			all = append(all, mutants(rel)...)
		}
	}
	rnd := rand.New(rand.NewPCG(*seed, 0))
	fmt.Printf("%d changes of %d, seed %d\n", *n, len(all), *seed)
	survived, tried := 0, 0
	for _, i := range rnd.Perm(len(all)) {
		m := all[i]
		fails, compiles := noticed(m, "./"+filepath.Dir(m.file))
		if !compiles {
			continue
		}
		src, err := os.ReadFile(m.file)
		check(err)
		what := fmt.Sprintf("%s:%d: %q becomes %q", m.file, m.line, src[m.at:m.end], m.text)
		switch {
		case fails:
			fmt.Println("noticed by its package:", what)
		default:
			if fails, _ = noticed(m, strings.Fields(*also)...); fails {
				fmt.Println("noticed by others:     ", what)
			} else {
				fmt.Println("SURVIVES:              ", what)
				survived++
			}
		}
		if tried++; tried == *n {
			break
		}
	}
	fmt.Printf("%d of %d changes survive\n", survived, tried)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
