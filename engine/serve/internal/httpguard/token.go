package httpguard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Token returns the token in a file. If the file is missing, Token makes it, and its folder, with a token of 256 random
// bits; only the user can ever read them. If several processes do so at once, all return the same token.
//
// It refuses a file that others may read or that is another user's, on systems that can tell; a link; what is no
// regular file; and a file that does not hold one token: 16 to 1,024 visible ASCII characters, then at most the end of
// the line.
func Token(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token, err = makeToken(path)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return readToken(path)
	}
	return token, err
}

const (
	minToken = 16   // bytes: shorter ones could be guessed
	maxToken = 1024 // bytes; enough room for it in a header
)

func readToken(path string) (string, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	if err := private(path, before); err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	defer f.Close()
	// The opened file may be another one than the one that was checked.
	if opened, err := f.Stat(); err != nil || !os.SameFile(before, opened) {
		return "", fmt.Errorf("token file %s: it was exchanged while it was read; try again", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxToken+3))
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	token := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	hidden := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(token) < minToken || len(token) > maxToken || strings.ContainsFunc(token, hidden) {
		return "", fmt.Errorf("token file %s: it does not hold a token of %d to %d visible ASCII characters; "+
			"delete it to get a new one",
			path, minToken, maxToken)
	}
	return token, nil
}

// private refuses a file that other users may read or replace.
func private(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("token file %s: it is a link; delete it to get a new token in a regular file", path)
	case !mode.IsRegular():
		return fmt.Errorf("token file %s: it is not a regular file (%s); move it away to get a new token", path, mode.Type())
	case ofAnother(info):
		return fmt.Errorf("token file %s: it belongs to another user, who knows the token; delete it to get a new one", path)
	case runtime.GOOS != "windows" && mode.Perm()&0o077 != 0: // there, the folder's access list decides
		return fmt.Errorf("token file %s: others may read it (mode %04o); delete it, and a new token is made that nobody has seen, or make it yours again with chmod 600",
			path, mode.Perm())
	}
	return nil
}

// makeToken makes the file. It writes the file under another name and then links it to its own. The link fails if there
// is a file already, and no process ever sees a file without its token.
func makeToken(path string) (token string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("token file %s cannot be made: %w", path, err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // made with mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	token = rand.Text() + rand.Text()
	_, err = f.WriteString(token + "\n")
	info, statErr := f.Stat()
	if err := errors.Join(err, f.Sync(), statErr, f.Close()); err != nil {
		return "", err
	}
	if private(path, info) != nil {
		return "", fmt.Errorf("the file system does not keep it from others (mode %04o); name a place for it on one that does", info.Mode().Perm())
	}
	if err := os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return "", err
	} else if err != nil {
		return "", fmt.Errorf("%w; write one there yourself, of %d or more random characters, with mode 0600", err, minToken)
	}
	return token, nil
}
