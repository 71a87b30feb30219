package mdstore

import "arbor/mdstore/merge"

// Rejoin is a stub.
func Rejoin(p Path, base, ours, theirs []byte) (joined []byte, missing []string) {
	if m, ok := merge.Add(base, ours, theirs); ok {
		return m, nil
	}
	return nil, []string{"the whole change"}
}
