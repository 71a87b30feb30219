package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// independent compares what a call costs here and in a vault of 100 nodes.
func (b *bench) independent() (rows []row, err error) {
	small, err := b.small()
	if err != nil {
		return nil, err
	}
	var creates, logs []timed
	for _, v := range []*vault{b.v, small} {
		o, s, err := v.read(b.ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, o.st.Close()) }()
		env := &ops.Env{Engine: o.Engine, Workspace: workspaceID}
		hash := mdstore.RulesHash(s.Workspace().Rules())
		part := v.part(0)
		turn := 0
		creates = append(creates, func() (time.Duration, error) {
			parent := v.plan[part[[]int{0, 1, 7, 13}[turn%4]]].id
			turn++
			return v.rested(func() error {
				_, err := ops.NodeCreate(b.ctx, env, ops.NodeCreateIn{ParentID: string(parent), Type: string(statemachine.Execution),
					Title: fmt.Sprint("New ", turn), Requirement: sentences(turn*3, 9), RulesHash: hash})
				return err
			})
		})
		leaves := v.leaves(len(v.plan))
		leaves = leaves[max(0, len(leaves)-16):] // which no other row has made longer, in a plan of some size
		logs = append(logs, func() (time.Duration, error) {
			id := leaves[turn%len(leaves)]
			turn++
			return v.rested(func() error {
				_, err := ops.LogAppend(b.ctx, env, ops.LogAppendIn{NodeID: string(id), Operator: mdstore.OperatorAI, Event: "Looked at it once more"})
				return err
			})
		})
	}
	for _, m := range []struct {
		name  string
		calls []timed
	}{{"node_create", creates}, {"log_append", logs}} {
		all, err := b.effort.more(3).inTurn(m.calls...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, ratio(fmt.Sprintf("%s at %d nodes", m.name, b.nodes), all[0], "at 100", all[1], 1.1))
	}
	return rows, nil
}

// small returns a vault of 100 nodes beside the one that is measured.
func (b *bench) small() (*vault, error) {
	if b.beside != nil {
		return b.beside, nil
	}
	v, err := generate(filepath.Join(b.work, "small"), 100)
	if err != nil {
		return nil, err
	}
	v.settle(b.settle)
	b.beside = v
	return v, nil
}
