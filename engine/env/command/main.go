package command

// The ways to confine a program.
const (
	Bubblewrap = "bubblewrap"
	Namespaces = "namespaces"
	Landlock   = "landlock"
)

// Word is the first argument of the program itself with which Run starts it for the program of a tool.
const Word = "confined"

// answers says that this program calls Main: started with Word, it does what Run starts it for.
var answers bool

// Main is called by main before anything else, with the arguments behind the program's name. It reports whether the
// process is one that Run started, which is over then, with the exit code.
func Main(args []string) (code int, started bool) {
	answers = true
	if len(args) == 0 || args[0] != Word {
		return 0, false
	}
	return stage(args[1:]), true
}
