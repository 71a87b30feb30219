package plan

// Each is a list of operations of one kind on several nodes, in one commit. If one of them is refused, none is done.
type Each[O Operation[R], R any] []O

// Plan plans all of them over the same draft.
func (all Each[O, R]) Plan(d *Draft) (out []R, err error) {
	for _, op := range all {
		r, err := op.Plan(d)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
