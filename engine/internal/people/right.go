package people

import (
	"fmt"
	"slices"
	"strings"
)

// A Right is what an operation asks of its caller. Each right includes those before it, but for Programs and Own.
type Right int

const (
	None     Right = iota // the zero Right, which nobody has
	Read                  // see the plan
	Work                  // change the plan
	Decide                // also what only a person may: answer questions, complete by force
	Programs              // decide what programs of environments may do: for persons whom the server's own user named
	Own                   // what is the server's own user's, and nobody's through a server
)

var rightNames = []string{"none", "read", "work", "decide", "programs", "own"}

// String returns the name of the right.
func (r Right) String() string {
	if r < 0 || int(r) >= len(rightNames) {
		return fmt.Sprintf("right %d", int(r))
	}
	return rightNames[r]
}

// Rights are the names of those that a person can have.
func Rights() []string { return slices.Clone(rightNames[Read:Programs]) }

// ParseRight returns the right of that name that a person can have; "" is None.
func ParseRight(name string) (Right, error) {
	i := slices.Index(rightNames, name)
	switch {
	case name == "":
		return None, nil
	case i < int(Read) || i > int(Decide):
		return None, fmt.Errorf("%q is no right of a person; %s are", name, strings.Join(Rights(), ", "))
	}
	return Right(i), nil
}

// MarshalText returns the name of the right.
func (r Right) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name of a right that a person can have.
func (r *Right) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRight(string(text))
	return err
}
