package statemachine

import "slices"

// Actions returns every action that a caller may ask for, each once, in the order of the rules.
func Actions() []Action {
	var all []Action
	for _, r := range rules {
		if !r.Automatic && !slices.Contains(all, r.Do) {
			all = append(all, r.Do)
		}
	}
	return all
}
