package layers

// A row is one package of the module and what its sources may import. Imports
// point down: every package in may stands lower.
type row struct {
	floor int    // height above the ground; one storey is 10
	name  string // the folder, relative to the module's root
	may   string // packages of the module, separated by spaces
	// std is what it may import of the standard library, separated by spaces;
	// "pure" stands for all of pure, and "" for everything. A package with a
	// list is closed: it neither reads a clock nor prints, whatever the list
	// says.
	std   string
	clock string // the one file of a closed package that may name the clock as a default, though not read it
	// helper marks what only exists for tests or stands in for the disk in
	// them. Tests of a package may import helpers up to one storey above it.
	helper   bool
	forTests bool // a helper for nothing but tests: it may import testing and the dependencies of tests
	later    bool // may be missing still

	tests string // packages above it with which its tests put it to work, separated by spaces
}

// wholeEngine is how tests of the engine's packages put them to work: commits, saves and clocks.
const wholeEngine = "engine engine/enginetest"

// pure is what computes and nothing else: no clock, disk, network, process or
// randomness.
const pure = "bufio bytes cmp compress/gzip container/heap container/list container/ring crypto/md5 crypto/sha256 " +
	"encoding encoding/base64 encoding/binary encoding/hex encoding/json errors fmt hash hash/crc32 hash/fnv " +
	"html io iter maps math math/bits path reflect regexp slices sort strconv strings sync sync/atomic " +
	"text/tabwriter unicode unicode/utf16 unicode/utf8 unique"

const storey = 10

var rows = []row{
	{floor: 0, name: "statemachine", std: "fmt slices"},
	{floor: 0, name: "engine/internal/nearest", std: "strings"},
	{floor: 0, name: "engine/internal/say", std: "strings"},
	{floor: 0, name: "mdstore/mdoc", std: "pure"},
	{floor: 0, name: "mdstore/diff3", std: "pure"},
	{floor: 0, name: "mdstore/fold", std: "pure"},
	{floor: 0, name: "mdstore/dirstore/internal/watch"},
	{floor: 0, name: "mdstore/guard"},
	{floor: 0, name: "mdstore/pattern", std: "pure"},
	{floor: 5, name: "engine/env/jail", may: "mdstore/guard"},
	{floor: 5, name: "engine/env/command", may: "mdstore/guard"},
	{floor: 0, name: "cmd/internal/layers", std: "pure"},

	// mdstore has time for the form of log lines, and the names of io/fs for
	// paths, modes and errors; neither gives it a clock or a disk.
	{floor: 10, name: "mdstore", may: "mdstore/mdoc mdstore/pattern mdstore/diff3 statemachine", std: "pure context io/fs time"},

	// A commit reaches the disk through the calls that its model of crashes
	// knows, and in no other way.
	{floor: 12, name: "mdstore/dirstore/internal/osfs", may: "mdstore mdstore/guard mdstore/mdoc"},
	{floor: 14, name: "mdstore/dirstore/internal/journal", may: "mdstore mdstore/mdoc mdstore/diff3 mdstore/merge mdstore/dirstore/internal/osfs", std: "pure context crypto/rand io/fs log/slog net/url"},

	{floor: 20, name: "mdstore/dirstore", may: "mdstore mdstore/gitrepo mdstore/fold mdstore/guard mdstore/mdoc mdstore/pattern mdstore/merge mdstore/dirstore/internal/osfs mdstore/dirstore/internal/journal mdstore/dirstore/internal/watch", helper: true},
	{floor: 25, name: "mdstore/dirstore/crashtest", may: "mdstore mdstore/dirstore mdstore/dirstore/internal/journal mdstore/dirstore/internal/osfs", helper: true, forTests: true},
	{floor: 20, name: "mdstore/memstore", may: "mdstore mdstore/mdoc", std: "pure context io/fs time", helper: true},
	{floor: 13, name: "mdstore/merge", may: "mdstore mdstore/diff3 mdstore/mdoc statemachine", std: "pure"},
	{floor: 15, name: "mdstore/gitrepo", may: "mdstore mdstore/guard"},
	{floor: 20, name: "mdstore/storetest", may: "mdstore mdstore/mdoc", helper: true, forTests: true},
	{floor: 20, name: "mdstore/pgstore", may: "mdstore mdstore/guard mdstore/mdoc mdstore/pattern"},
	{floor: 25, name: "mdstore/pgstore/pgtest", may: "mdstore mdstore/pgstore", helper: true, forTests: true},
	{floor: 20, name: "context/assemble", may: "mdstore mdstore/mdoc statemachine", std: "pure"},

	{floor: 30, name: "context/render", may: "context/assemble mdstore mdstore/pattern statemachine", std: "pure"},
	{floor: 30, name: "engine/internal/search", may: "mdstore mdstore/fold mdstore/mdoc", std: "pure"},

	{floor: 30, name: "engine/internal/memory", may: "mdstore mdstore/pattern", std: "pure compress/gzip time"},

	// Views, plans and checks compute and nothing else. The engine reaches the disk through a Store and in no other
	// way, and the clock through its Options.
	{floor: 26, name: "engine/errs", may: "context/assemble engine/internal/say mdstore mdstore/guard mdstore/mdoc statemachine", std: "pure context io/fs"},
	{floor: 28, name: "engine/env", may: "engine/errs mdstore/pattern", std: "pure net/url time"},
	{floor: 30, name: "engine/internal/people", may: "engine/errs"},
	{floor: 30, name: "engine/env/trust", may: "engine/env engine/errs mdstore/guard"},
	{
		floor: 32,
		name:  "engine/env/remote",
		may:   "engine/env engine/env/jail engine/env/command engine/env/trust engine/errs",
	},
	{
		floor: 28,
		name:  "engine/config",
		may:   "engine/errs engine/internal/nearest mdstore mdstore/mdoc mdstore/pattern",
		std:   "pure",
	},
	{
		floor: 30,
		name:  "engine/view",
		may:   "context/assemble engine/errs engine/internal/nearest mdstore mdstore/fold mdstore/mdoc mdstore/pattern statemachine",
		std:   "pure net/url time",
		tests: wholeEngine,
	},
	{
		floor: 32,
		name:  "engine/plan",
		may:   "engine/errs engine/internal/memory engine/internal/nearest engine/view mdstore mdstore/diff3 mdstore/fold mdstore/mdoc mdstore/pattern mdstore/merge statemachine",
		std:   "pure io/fs time",
		tests: wholeEngine,
	},
	{
		floor: 34,
		name:  "engine/check",
		may:   "engine/env engine/config engine/errs engine/plan engine/view mdstore mdstore/fold mdstore/mdoc statemachine",
		std:   "pure",
		tests: wholeEngine,
	},
	{
		floor: 34,
		name:  "engine/exchange",
		may:   "context/render engine/errs engine/plan engine/view mdstore mdstore/mdoc mdstore/pattern statemachine",
		std:   "pure net/url time",
		tests: wholeEngine,
	},
	{
		floor: 34,
		name:  "engine/claims",
		may:   "context/render engine/errs engine/plan engine/view mdstore mdstore/mdoc statemachine",
		std:   "pure context io/fs time",
		tests: wholeEngine,
	},
	{
		floor: 34,
		name:  "engine/sessions",
		may:   "context/render engine/errs engine/internal/nearest engine/plan engine/view mdstore mdstore/mdoc mdstore/pattern",
		std:   "pure context encoding/gob io/fs time",
		tests: wholeEngine,
	},
	{
		floor: 34,
		name:  "engine/live",
		may:   "engine/errs engine/view mdstore mdstore/mdoc",
		std:   "pure context io/fs log/slog time",
		clock: "engine/live/live.go",
		tests: wholeEngine + " engine/check",
	},
	{
		floor: 36,
		name:  "engine/feed",
		may:   "engine/check engine/errs engine/live engine/view mdstore mdstore/mdoc",
		std:   "pure context time",
		clock: "engine/feed/feed.go",
		tests: wholeEngine,
	},
	{
		floor: 40,
		name:  "engine",
		may:   "context/assemble engine/check engine/claims engine/config engine/errs engine/live engine/internal/people engine/plan engine/sessions engine/view mdstore mdstore/fold mdstore/mdoc",
		std:   "pure context crypto/rand io/fs log/slog net/url time",
		clock: "engine/engine.go",
	},

	{floor: 45, name: "engine/env/act", may: "engine engine/env engine/env/command engine/env/jail engine/env/remote engine/env/trust engine/errs engine/plan engine/view context/render mdstore mdstore/fold mdstore/mdoc", std: "pure context io/fs path/filepath time"},
	{floor: 45, name: "engine/internal/gitsync", may: "engine engine/check engine/errs engine/plan mdstore mdstore/gitrepo mdstore/memstore mdstore/merge statemachine", std: "pure context time"},
	{floor: 50, name: "engine/ops", may: "engine engine/check engine/claims engine/config engine/env engine/env/act engine/env/command engine/env/jail engine/env/remote engine/env/trust " +
		"engine/errs engine/exchange engine/internal/gitsync engine/internal/memory engine/internal/nearest engine/internal/people engine/plan engine/internal/say engine/internal/search engine/sessions engine/view " +
		"context/assemble context/render mdstore mdstore/fold mdstore/gitrepo mdstore/mdoc mdstore/pattern mdstore/memstore mdstore/merge statemachine", std: "pure context path/filepath time"},
	{floor: 50, name: "engine/enginetest", may: "engine engine/live context/assemble mdstore mdstore/mdoc mdstore/memstore mdstore/dirstore mdstore/pgstore mdstore/pgstore/pgtest statemachine", helper: true, forTests: true},
	{floor: 50, name: "cmd/internal/importtanmi", may: "engine engine/check engine/claims engine/errs engine/feed engine/live engine/plan engine/sessions engine/view mdstore mdstore/mdoc mdstore/pattern statemachine"},

	{floor: 60, name: "cmd/internal/cli", may: "engine engine/check engine/claims engine/config engine/env engine/env/act engine/env/command engine/env/trust engine/errs engine/exchange engine/feed engine/live engine/plan engine/sessions engine/view engine/ops context/assemble context/render mdstore mdstore/gitrepo mdstore/guard mdstore/mdoc mdstore/pattern statemachine"},
	{floor: 55, name: "engine/serve/internal/mcpserv", may: "engine engine/check engine/claims engine/env engine/env/act engine/env/trust engine/errs engine/feed engine/live engine/internal/memory engine/internal/people engine/plan engine/internal/say engine/sessions engine/view engine/ops context/assemble context/render mdstore mdstore/fold mdstore/mdoc mdstore/pattern statemachine"},
	{floor: 54, name: "engine/serve/internal/httpguard"},
	{floor: 56, name: "engine/serve/internal/door", may: "engine engine/env/act engine/env/trust engine/errs engine/internal/people engine/serve/internal/httpguard", tests: "engine/config engine/ops engine/plan engine/serve/internal/mcpserv engine/serve/internal/web mdstore mdstore/dirstore"},
	{floor: 60, name: "cmd/internal/setup", may: "mdstore/guard mdstore/pattern engine engine/check engine/claims engine/config engine/errs engine/feed engine/live engine/plan engine/sessions engine/view engine/ops context/assemble context/render mdstore mdstore/mdoc statemachine"},
	{floor: 58, name: "engine/serve/internal/mcpserv/internal/fixtures", may: "engine/serve/internal/httpguard engine/serve/internal/mcpserv", helper: true},
	{floor: 57, name: "engine/serve", may: "engine engine/serve/internal/door engine/serve/internal/httpguard engine/serve/internal/mcpserv engine/serve/internal/web"},
	{floor: 55, name: "engine/serve/internal/web", may: "engine engine/check engine/claims engine/env engine/env/act engine/env/trust engine/errs engine/exchange engine/feed engine/live engine/internal/memory engine/internal/people engine/serve/internal/httpguard engine/plan engine/sessions engine/view engine/ops context/assemble context/render mdstore mdstore/diff3 mdstore/fold mdstore/mdoc mdstore/pattern statemachine"},

	{floor: 60, name: "cmd/internal/lsp", may: "engine engine/check engine/errs engine/exchange engine/live engine/ops engine/plan engine/view " +
		"context/assemble context/render mdstore mdstore/fold mdstore/mdoc mdstore/merge statemachine"},

	{
		floor: 60, name: "cmd/internal/ui",
		may:   "engine/errs engine/exchange engine/feed engine/ops engine/view context/render mdstore mdstore/guard statemachine",
		tests: "engine mdstore/dirstore",
	},

	{floor: 70, name: "cmd/internal/app", may: "cmd/internal/cli cmd/internal/lsp cmd/internal/ui cmd/internal/setup cmd/internal/importtanmi engine/serve " +
		"engine engine/config engine/env engine/env/act engine/env/command engine/env/jail engine/env/remote engine/env/trust engine/errs engine/live engine/ops engine/plan engine/view context/assemble context/render mdstore mdstore/gitrepo mdstore/guard mdstore/mdoc mdstore/pattern mdstore/dirstore mdstore/pgstore mdstore/merge " +
		"statemachine"},

	// It measures what the front ends do, and puts the store that it measures into the engine by itself.
	{floor: 70, name: "cmd/internal/bench", may: "engine engine/live engine/ops engine/plan engine/view mdstore mdstore/dirstore statemachine"},

	{floor: 80, name: "cmd/arbor", may: "cmd/internal/app cmd/internal/cli engine/serve/internal/mcpserv cmd/internal/importtanmi engine/serve/internal/web"},
}

// A home is a dependency and the package whose sources and tests import it, so
// that its types go no further. The package's own internal packages belong to
// it. Two packages, separated by a space, are for what two of them need
// without having anything to do with each other.
type home struct {
	module string
	name   string // "tests" for what only tests import
	judges string // packages whose tests alone use it
	later  bool   // may be missing still, or come along with another one
}

var homes = []home{
	{module: "gopkg.in/yaml.v3", name: "mdstore/mdoc"},
	{module: "github.com/yuin/goldmark", name: "mdstore/mdoc engine/serve/internal/web", judges: "context/render"},
	{module: "github.com/adrg/frontmatter", name: "mdstore/mdoc"},
	{module: "github.com/gofrs/flock", name: "mdstore/dirstore engine/env/trust"},
	{module: "golang.org/x/sys", name: "mdstore/dirstore engine/env/command engine/env/jail cmd/internal/bench", judges: "engine/ops"},
	{module: "github.com/aymanbagabas/go-udiff", name: "engine/plan"},
	{module: "golang.org/x/text", name: "mdstore/fold"},
	{module: "github.com/spf13/cobra", name: "cmd/internal/cli"},
	{module: "github.com/spf13/pflag", name: "cmd/internal/cli", later: true},
	{module: "github.com/rivo/uniseg", name: "context/render engine/internal/search"},
	{module: "golang.org/x/term", name: "cmd/internal/cli"},
	{module: "github.com/BurntSushi/toml", name: "engine/config mdstore/mdoc"},
	{module: "github.com/fsnotify/fsnotify", name: "mdstore/dirstore/internal/watch"},
	{module: "github.com/modelcontextprotocol/go-sdk", name: "engine/serve/internal/mcpserv"},
	{module: "github.com/google/jsonschema-go", name: "engine/serve/internal/mcpserv"},
	{module: "github.com/landlock-lsm/go-landlock", name: "engine/env/command"},
	{module: "github.com/coder/websocket", name: "engine/env/remote"},
	{module: "golang.org/x/net", name: "engine/serve/internal/web"},
	{module: "github.com/jackc/pgx/v5", name: "mdstore/pgstore"},
	{module: "github.com/tailscale/hujson", name: "cmd/internal/setup"},
	{module: "charm.land/bubbletea/v2", name: "cmd/internal/ui"},
	{module: "github.com/rogpeppe/go-internal", name: "tests"},
	{module: "pgregory.net/rapid", name: "tests"},
}

// A policy is all that the module is held to.
type policy struct {
	rows     []row
	homes    []home
	reasons  string   // the page with the reason of each dependency
	top      []string // path.Match patterns of what the top level holds
	maxLines int      // of a source file that is no test
}

var module = policy{
	rows:    rows,
	homes:   homes,
	reasons: "docs/decisions/0002-dependencies.md",
	top: []string{"cmd", "context", "docs", "engine", "mdstore", "statemachine", "testdata", "go.mod", "go.sum", ".*",
		"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE*", "COPYING*", "NOTICE*", "server.json"},
	maxLines: 400,
}

// A ban is what a closed package does not take from a package that it may
// otherwise import.
type ban struct {
	pkg     string
	names   string // separated by spaces
	breaks  rule
	instead string
}

var bans = []ban{
	{"time", "Now Since Until After AfterFunc Tick NewTimer NewTicker Sleep", ruleClock, "the time arrives as an argument"},
	{"context", "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause", ruleClock, "the caller sets the deadline"},
	{"path/filepath", "Abs EvalSymlinks Glob Walk WalkDir", ruleClosed, "only a store knows the disk"},
	{"fmt", "Print Printf Println Scan Scanf Scanln", ruleTerminal, "return what is to be said"},
}
