// Package pattern makes regular expressions when they are first used: most commands use none, and each costs a start
// some hundred allocations.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns a function that compiles an expression at its first call, and panics if it is invalid. The function is
// safe for concurrent use.
func Of(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
