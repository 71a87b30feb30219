//go:build !unix

package command

import (
	"context"
	"os/exec"
)

// supervised returns the command that runs a program. At its end the program itself is killed, and not what it started.
func supervised(ctx context.Context, _, _, _ string, argv []string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, argv[0], argv[1:]...), nil
}
