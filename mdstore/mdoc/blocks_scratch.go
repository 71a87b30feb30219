package mdoc

import (
	"slices"
	"sync/atomic"
)

// A scratch is room for the blocks and items of one body after the other.
type scratch struct {
	blocks []block
	items  []item
}

// scratchMost is how many blocks or items a scratch may have room for to be kept.
const scratchMost = 4 << 10

// scratches are kept for whoever scans next; nil: none.
var scratches [4]atomic.Pointer[scratch]

func takeScratch() *scratch {
	for i := range scratches {
		if s := scratches[i].Swap(nil); s != nil {
			return s
		}
	}
	return &scratch{blocks: make([]block, 0, 64), items: make([]item, 0, 64)}
}

// back keeps a scratch that nobody uses any more.
func (s *scratch) back() {
	if cap(s.blocks) > scratchMost || cap(s.items) > scratchMost {
		return
	}
	for i := range scratches {
		if scratches[i].CompareAndSwap(nil, s) {
			return
		}
	}
}

// found returns the blocks in room of their own.
func (s *blockScan) found() []block {
	if len(s.blocks) == 0 {
		return nil
	}
	blocks, items := slices.Clone(s.blocks), slices.Clone(s.items)
	for i := range blocks {
		if n := len(blocks[i].items); n > 0 {
			blocks[i].items, items = items[:n:n], items[n:]
		}
	}
	return blocks
}
