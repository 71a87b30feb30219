package serve

import (
	"log/slog"

	"arbor/engine"
	"arbor/engine/serve/internal/door"
)

// A Door lets the persons of a vault in, each with a token and rights of their own: see arbor admin people.
// MCP(endpoint, options) is the guard of Tools.Endpoint() for the tokens of assistants. Redeem answers POST
// /people/redeem. Give the door to Page.Admit, and Serve the address of /mcp.
type Door = door.Door

// A Redeemed is the answer of Door.Redeem: a token for an assistant.
type Redeemed = door.Redeemed

// NewDoor returns the door of the vault of an engine.
func NewDoor(e *engine.Engine, log *slog.Logger) *Door { return door.New(e, log) }
