package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

// cascadeFiles is how many files one transition changes at once.
const cascadeFiles = 8

// chainRounds is how often a chain is completed and reopened before another one takes its place: each round makes its files longer.
const chainRounds = 4

// chain makes nodes below one another, the last of them an execution node.
func (b *bench) chain(o *opened, s *engine.Snapshot) (chain []mdstore.ID, err error) {
	under := mdstore.Root
	for i := range cascadeFiles {
		kind := statemachine.Planning
		if i == cascadeFiles-1 {
			kind = statemachine.Execution
		}
		made, err := o.Create(b.ctx, workspaceID, engine.NewNode{
			Parent: under, Type: kind, Title: fmt.Sprintf("Level %d", i), Requirement: sentences(3, 12), RulesHash: mdstore.RulesHash(s.Workspace().Rules()),
		}, engine.Act{})
		if err != nil {
			return nil, err
		}
		under = made.Node
		chain = append(chain, made.Node)
	}
	return chain, nil
}

// cascade reopens a node below seven completed ones, which reopens all of them, and then completes the eight one by one.
func (b *bench) cascade() (rows []row, err error) {
	o, s, err := b.v.read(b.ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.st.Close()) }()
	var chain []mdstore.ID
	w := &worker{opened: o, b: b, v: b.v}
	singly := func() error {
		for i := range chain {
			if _, err := w.act(chain[len(chain)-1-i], statemachine.Complete, false); err != nil {
				return err
			}
		}
		return b.v.rest()
	}
	another := func() (err error) {
		if chain, err = b.chain(o, s); err != nil {
			return err
		}
		if _, err := w.begun(chain[len(chain)-1]); err != nil {
			return err
		}
		return singly()
	}
	if err := another(); err != nil {
		return nil, err
	}
	folders, done, err := b.v.limitFolders(append(slices.Clone(chain), "journal"))
	defer func() { err = errors.Join(err, done()) }()
	if err != nil {
		return nil, err
	}
	var together, apart, raw samples
	begin := time.Now()
	for round := 0; round < b.effort.rounds && (round < 3 || time.Since(begin) < b.effort.budget); round++ {
		if round > 0 && round%chainRounds == 0 {
			if err := another(); err != nil {
				return nil, err
			}
		}
		files := 0
		took, err := clock(func() (err error) {
			files, err = w.act(chain[len(chain)-1], statemachine.Reopen, true)
			return errors.Join(err, b.v.rest())
		})
		if err == nil && files != cascadeFiles {
			err = fmt.Errorf("the cascade changed %d files", files)
		}
		if err != nil {
			return nil, err
		}
		together = append(together, took)
		if took, err = clock(singly); err != nil {
			return nil, err
		}
		apart = append(apart, took)
		if took, err = b.savesOf(chain, folders); err != nil {
			return nil, err
		}
		raw = append(raw, took)
	}
	return []row{
		ratio("transition that cascades over 8 files", together, "eight transitions of one file", apart, 0.8),
		ratio("the same against raw saves", together, "the journal and eight files, each: "+savesName, raw, 1.1),
	}, nil
}

// savesOf clocks saving the files of all those nodes durably, after a journal that holds all of them. The journal's folder is the last.
func (b *bench) savesOf(nodes []mdstore.ID, folders []folder) (time.Duration, error) {
	var texts [][]byte
	for _, id := range nodes {
		text, err := os.ReadFile(filepath.Join(b.v.nodes, string(id), mdstore.NodeFile))
		if err != nil {
			return 0, err
		}
		texts = append(texts, text)
	}
	texts = append(texts, slices.Concat(texts...))
	return clock(func() error {
		for i := range texts {
			j := len(texts) - 1 - i // the journal comes first
			if err := folders[j].replace(mdstore.NodeFile, texts[j]); err != nil {
				return err
			}
		}
		return nil
	})
}
