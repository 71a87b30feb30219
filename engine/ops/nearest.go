package ops

import "arbor/engine/nearest"

// Nearest is nearest.Word.
func Nearest(word string, known []string) string { return nearest.Word(word, known) }
