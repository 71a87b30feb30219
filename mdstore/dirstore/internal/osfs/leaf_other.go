//go:build !linux

package osfs

import "arbor/mdstore"

// Leaves are not looked at in fewer calls here.
type Leaves struct{ Counts bool }

// A Leaf looks at nothing.
type Leaf struct{}

// LeavesOf returns nil.
func LeavesOf(Folder, string) *Leaves { return nil }

// Leaf is not called, as there are no Leaves.
func (l *Leaves) Leaf() *Leaf { return nil }

// Folder is not called.
func (l *Leaf) Folder(string) (stamp mdstore.Stamp, bare, ok bool) { return }

// Stamp is not called.
func (l *Leaf) Stamp(string) (stamp mdstore.Stamp, ok bool) { return }

// Read is not called.
func (l *Leaf) Read(string) (data []byte, stamp mdstore.Stamp, ok bool) { return }
