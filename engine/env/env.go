// Package env describes the places where tools act: what an environment is, which tools it has, which environment a
// call goes to, and whether the call runs at once. This package only computes. The packages jail, command, trust and
// remote touch files, processes and the network.
package env

import (
	"encoding/json"
	"time"
)

// An Environment is a place with a root, tools and a level of trust, as its file in the vault describes it. The file
// only asks for its trust; package trust has the person's decisions.
type Environment struct {
	ID    string   `json:"id"`
	URI   string   `json:"uri"` // canonical, see Canonical
	Host  Host     `json:"host"`
	Trust Level    `json:"trust"`
	Owner string   `json:"owner,omitempty"`
	Tools []string `json:"tools,omitempty"` // the tools that it offers; none: all built-in ones
	// the description that an assistant reads while the environment is attached
	Text    string `json:"-"`
	Machine bool   `json:"machine,omitempty"` // it belongs to this machine, and is stored beside the trust
}

// A Host says on which machine an environment is.
type Host string

// The hosts.
const (
	Server  Host = "server"  // this machine
	Client  Host = "client"  // a connected client
	Session Host = "session" // the folder Notes/ of a session
)

// A Level says what may run in an environment without asking a person.
type Level string

// The levels.
const (
	Full       Level = "full"       // everything
	Restricted Level = "restricted" // tools that only read; for any other tool, a person is asked
	ReadOnly   Level = "read_only"  // built-in tools that only read; every other call is refused
)

// A Status says whether an environment can be used now. Arbor computes it and never stores it.
type Status string

// The statuses.
const (
	Active    Status = "active"
	Missing   Status = "missing"   // the path is gone, or the client is not connected
	Untrusted Status = "untrusted" // no person of this machine has said that tools may run in it
)

// A Tool is a tool of an environment.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersSchema,omitempty"`
	// the program and its arguments; nil for a built-in tool
	Command []string      `json:"command,omitempty"`
	Env     []string      `json:"env,omitempty"`     // variables that the program is given besides PATH, HOME and LANG
	Timeout time.Duration `json:"timeout,omitempty"` // 0 is DefaultTimeout
	// a person must approve each call, even with full trust
	Asks     bool     `json:"requiresPermission,omitempty"`
	ReadOnly bool     `json:"readOnly,omitempty"`
	Network  bool     `json:"network,omitempty"` // its program may connect to anything
	Read     []string `json:"read,omitempty"`    // files and folders that its program reads besides: absolute, or below ~/
	Source   string   `json:"source,omitempty"`  // the file that defines it: a path of the vault, or ToolsFile
}

// The limits of a program that a tool runs.
const (
	defaultTimeout = 120 * time.Second
	ToolsFile      = ".monad/tools.json" // in the root of an environment
)

// The built-in tools.
const (
	fileRead   = "file_read"
	fileList   = "file_list"
	fileSearch = "file_search"
	fileWrite  = "file_write"
	fileEdit   = "file_edit"
	fileDelete = "file_delete"
)
