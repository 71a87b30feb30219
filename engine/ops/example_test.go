package ops_test

import (
	"context"
	"encoding/json"
	"fmt"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore/memstore"
)

// A program that embeds Arbor calls operations by their names, with JSON.
func Example() {
	ctx := context.Background()
	e, err := engine.Open(ctx, memstore.New(nil), engine.Options{})
	if err != nil {
		panic(err)
	}
	call := func(name, args string) any {
		op, _ := ops.Find(name)
		out, err := op.Call(ctx, &ops.Env{Engine: e}, json.RawMessage(args))
		if err != nil {
			panic(err)
		}
		return out
	}
	call("workspace_init", `{"name": "Login", "goal": "Users sign in with a password"}`)
	call("node_create", `{"title": "Sign-in endpoint"}`)
	root := call("node_list", `{}`).(*ops.NodeListOut).Tree[0]
	fmt.Println(root.Title, "has", root.Children[0].Title)
	// Output: Login has Sign-in endpoint
}
