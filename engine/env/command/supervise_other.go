//go:build !unix

package command

import (
	"context"
	"os/exec"
)

// supervised returns the command that runs a program. At its end the program itself is killed, and not what it started.
func supervised(ctx context.Context, j job) (*exec.Cmd, func(), error) {
	cmd := exec.CommandContext(ctx, j.Argv[0], j.Argv[1:]...)
	cmd.Env = j.Env
	return cmd, func() {}, nil
}
