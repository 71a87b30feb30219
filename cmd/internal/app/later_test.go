package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"

	"arbor/mdstore/dirstore"
)

// A vault that is made later can do all that one that is there can: whatever a store may offer the engine is passed on.
func TestALaterVaultOffersTheSame(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../../mdstore/store.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	now, later := reflect.TypeFor[*dirstore.Store](), reflect.TypeFor[*laterStore]()
	offered := 0
	ast.Inspect(file, func(n ast.Node) bool {
		in, ok := n.(*ast.InterfaceType)
		if !ok {
			return true
		}
		for _, m := range in.Methods.List {
			for _, name := range m.Names {
				if _, ok := now.MethodByName(name.Name); !ok {
					continue
				}
				offered++
				if _, ok := later.MethodByName(name.Name); !ok {
					t.Errorf("a store's %s is not passed on", name.Name)
				}
			}
		}
		return true
	})
	if offered < 10 {
		t.Errorf("only %d methods were found", offered)
	}
}
