// Package layers holds no code of its own: its tests keep the shape of the
// module. They parse every source file themselves, so that a result of theirs
// in the test cache never outlives the sources that it is about.
//
// A new package adds its row to the table in table_test.go in the same change,
// and a new dependency its row there and its reason to
// docs/decisions/0002-dependencies.md.
package layers
