// Package pattern makes regular expressions when they are first used: most commands use none, and each costs a start
// some hundred allocations.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns what compiles an expression once, and panics then if it is none. It may be called at the same time.
func Of(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
