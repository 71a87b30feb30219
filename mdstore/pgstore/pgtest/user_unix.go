//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// ids returns the user whom the server runs as: PostgreSQL refuses root, whose tests run it as postgres.
func ids() (uid, gid int, err error) {
	if os.Getuid() != 0 {
		return os.Getuid(), os.Getgid(), nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, errors.New("PostgreSQL does not run as root, and there is no user postgres")
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid, nil
}

// own gives a folder to the server's user.
func own(dir string) error {
	uid, gid, err := ids()
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // others reach the socket
		return err
	}
	return os.Chown(dir, uid, gid)
}

// as makes a program run as the server's user.
func as(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid, gid, err := ids(); err == nil && os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
}
