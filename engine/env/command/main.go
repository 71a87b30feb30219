package command

// The ways to confine a program.
const (
	Bubblewrap = "bubblewrap"
	Namespaces = "namespaces"
	Landlock   = "landlock"
)

// Word is the first argument with which Run starts this program again, to confine and run the program of a tool.
const Word = "confined"

// answers says that this program calls Main, so that Run can start it with Word.
var answers bool

// Main is called by main before anything else, with the arguments behind the program's name. started says that Run
// started this process; its work is then done, and it must exit with code.
func Main(args []string) (code int, started bool) {
	answers = true
	if len(args) == 0 || args[0] != Word {
		return 0, false
	}
	return stage(args[1:]), true
}
