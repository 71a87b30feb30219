// Arbor keeps workspaces of plans and tasks in plain Markdown files. See arbor help.
package main

import (
	"os"

	"arbor/cmd/internal/app"
)

func main() {
	os.Exit(app.Main())
}
