package setup

// put returns the content of a file with the items in it; there is false where there is no file.
func put(name, content string, there bool, items []item, force bool) (string, error) {
	t, err := parse(name, content)
	for _, it := range items {
		if err == nil {
			t, err = it.set(t, force)
		}
	}
	switch {
	case err != nil:
		return "", err
	case !there:
		return t.content() + "\n", nil
	}
	return t.content(), nil
}

// take returns the content of a file without the items; keep is false where the file is to go, as set-up made it.
func take(name, content string, there bool, items []item, force bool) (want string, keep bool, err error) {
	t, err := parse(name, content)
	if err != nil {
		return "", false, err
	}
	before, made := fresh(t, items)
	for i := len(items) - 1; i >= 0; i-- { // the last one first, as it may stand in what the first one made
		if t, err = items[i].unset(t, force); err != nil {
			return "", false, err
		}
	}
	switch {
	case made:
		return "", false, nil
	case before != nil:
		return before.content(), true, nil
	}
	return t.content(), there, nil
}

// fresh tells a text that is wholly set-up's: made is true for what it writes where there is no file, and before is the blank text that it found where there
// was one.
func fresh(t *text, items []item) (before *text, made bool) {
	var found []item
	for _, it := range items {
		all, _, err := it.find(t)
		if err != nil || len(all) > 1 || len(all) == 1 && (all[0].verdict < ours || it.turn(all[0].fields) != 0) {
			return nil, false
		}
		if len(all) == 1 {
			it.fields = all[0].fields
			it.judge = func(fields) verdict { return ours }
			found = append(found, it)
		}
	}
	if len(found) == 0 || !blank(t.src[:t.root.StartOffset]) {
		return nil, false
	}
	empty := &text{name: t.name, bom: t.bom, src: t.src[:t.root.StartOffset]}
	for _, there := range []bool{false, true} {
		if !there && empty.content() != "" {
			continue
		}
		if want, err := put(t.name, empty.content(), there, found, false); err == nil && want == t.content() {
			return empty, !there
		}
	}
	return nil, false
}
