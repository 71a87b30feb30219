package httpguard

import (
	"crypto/rand"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestTokenIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "too", "token")
	token, err := Token(path)
	if err != nil {
		t.Fatalf("Token = %q, %v", token, err)
	}
	if len(token) != 2*len(rand.Text()) {
		t.Errorf("%q are %d characters, which are not 256 bits", token, len(token))
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Lstat(name); err != nil || runtime.GOOS != "windows" && info.Mode() != want {
			t.Errorf("%s is %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	again, err := Token(path)
	if again != token || err != nil {
		t.Errorf("the second time Token = %q, %v; want %q", again, err, token)
	}
	if other, err := Token(filepath.Join(t.TempDir(), "token")); other == token || err != nil {
		t.Errorf("two vaults share the token %q, %v", other, err)
	}
}

func TestTokenIsOneForAllThatMakeItAtOnce(t *testing.T) {
	dir := t.TempDir()
	type result struct {
		token string
		err   error
	}
	results := make([]result, 16)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			r := &results[i]
			r.token, r.err = Token(filepath.Join(dir, "token"))
		})
	}
	wg.Wait()
	for _, r := range results {
		if r.err != nil || r.token != results[0].token {
			t.Errorf("%+v, and another got %+v", r, results[0])
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v lies there, %v; want the token alone", left, err)
	}
}

func TestTokenOfOnesOwn(t *testing.T) {
	for _, text := range []string{"0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n"} {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := Token(path); token != "0123456789abcdef" || err != nil {
			t.Errorf("of %q Token = %q, %v", text, token, err)
		}
	}
}

func TestTokenRefuses(t *testing.T) {
	good := strings.Repeat("x", 32)
	write := func(t *testing.T, path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, path string)
		says    string
		unix    bool // elsewhere there are no such modes, or no right to make links
	}{
		{"that the group reads", func(t *testing.T, path string) { write(t, path, good, 0o640) }, "chmod 600", true},
		{"that others read", func(t *testing.T, path string) { write(t, path, good, 0o604) }, "chmod 600", true},
		{"that others write", func(t *testing.T, path string) { write(t, path, good, 0o602) }, "chmod 600", true},
		{"of another user", func(t *testing.T, path string) {
			write(t, path, good, 0o600)
			if err := os.Chown(path, 65534, 65534); err != nil {
				t.Skip(err)
			}
		}, "another user", true},
		{"a link to a good one", func(t *testing.T, path string) {
			write(t, path+"2", good, 0o600)
			if err := os.Symlink(path+"2", path); err != nil {
				t.Fatal(err)
			}
		}, "it is a link; delete it", true},
		{"a link to nothing", func(t *testing.T, path string) {
			if err := os.Symlink(path+"2", path); err != nil {
				t.Fatal(err)
			}
		}, "it is a link; delete it", true},
		{"a folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "move it away", false},
		{"a socket", func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
		}, "move it away", true},
		{"empty", func(t *testing.T, path string) { write(t, path, "", 0o600) }, "delete it", false},
		{"short", func(t *testing.T, path string) { write(t, path, "0123456789abcde\n", 0o600) }, "delete it", false},
		{"long", func(t *testing.T, path string) { write(t, path, strings.Repeat("x", 1025), 0o600) }, "delete it", false},
		{"endless", func(t *testing.T, path string) { write(t, path, strings.Repeat("x", 1<<20), 0o600) }, "delete it", false},
		{"of two lines", func(t *testing.T, path string) { write(t, path, good+"\n"+good+"\n", 0o600) }, "delete it", false},
		{"of two words", func(t *testing.T, path string) { write(t, path, good+" "+good, 0o600) }, "delete it", false},
		{"not ASCII", func(t *testing.T, path string) { write(t, path, good+"é", 0o600) }, "delete it", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.unix && runtime.GOOS == "windows" {
				t.Skip("needs the modes and links of Unix")
			}
			path := filepath.Join(t.TempDir(), "token")
			c.prepare(t, path)
			before, _ := os.Lstat(path)
			token, err := Token(path)
			if err == nil || token != "" || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Token = %q, %v; want an error about %s that says %q", token, err, path, c.says)
			}
			if strings.Contains(err.Error(), "xxxxxxxxxxxxxxxx") {
				t.Errorf("%v shows the token", err)
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) || after.ModTime() != before.ModTime() {
				t.Errorf("the file was touched: %v, %v", after, err)
			}
		})
	}
}
