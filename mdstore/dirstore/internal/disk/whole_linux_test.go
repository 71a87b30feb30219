package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// opened opens what lies in a folder, which is the last, for as long as the test runs.
func opened(t *testing.T, dir string, names ...string) (fds []int) {
	t.Helper()
	for _, name := range append(names, ".") {
		p := filepath.Join(dir, name)
		if name != "." {
			if err := os.WriteFile(p, []byte("text"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		fds = append(fds, int(f.Fd()))
	}
	return fds
}

func TestSyncWhole(t *testing.T) {
	fds := opened(t, t.TempDir(), "a", "b", "c", "d", "e")
	bad := func(i int, err error) {
		if err != nil {
			t.Errorf("number %d: %v", i, err)
		}
	}
	if !syncWhole(fds, 5, bad) || !syncWhole(fds[5:], 0, bad) || !syncWhole(fds[:5], 5, bad) {
		t.Error("files, a folder or both are not made durable")
	}
	if syncWhole(append(fds, -1), 5, bad) {
		t.Error("what is not open is made durable")
	}
	pipe := make([]int, 2)
	if err := unix.Pipe2(pipe, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	var got []int
	syncWhole(append(pipe[:1:1], fds...), 6, func(i int, err error) {
		if err != nil {
			got = append(got, i)
		}
	})
	if !slices.Equal(got, []int{0}) {
		t.Errorf("of a pipe and five files, there is an error of those with the numbers %v; want that of the pipe, which has no bytes on a disk", got)
	}
}

// Files on other file systems than the last one are not made durable with it.
func TestOnOne(t *testing.T) {
	here := opened(t, t.TempDir(), "a", "b")
	var in unix.Statfs_t
	if err := unix.Fstatfs(here[0], &in); err != nil {
		t.Fatal(err)
	}
	if got, want := onOne(here), in.Type == unix.EXT4_SUPER_MAGIC; got != want {
		t.Errorf("on a file system of type %#x: %v; want %v", in.Type, got, want)
	}
	elsewhere, err := os.Open("/proc/self")
	if err != nil {
		t.Skip("there is no /proc: ", err)
	}
	defer elsewhere.Close()
	fd := int(elsewhere.Fd())
	if onOne([]int{here[0], here[1], fd}) || onOne([]int{fd, here[0], here[1]}) {
		t.Error("files of two file systems are taken for files of one")
	}
	if worthwhile(here[:1]) {
		t.Error("one file is made durable with its whole file system")
	}
}

func TestUnwritten(t *testing.T) {
	const text = "MemTotal:       24684092 kB\nDirty:             19808 kB\nWriteback:           192 kB\nWritebackTmp:          0 kB\n"
	if got := unwrittenIn([]byte(text)); got != 20000 {
		t.Errorf("%d kB; want 20000", got)
	}
	for _, other := range []string{"", "MemTotal: 1 kB\nDirty: 1 kB\n", strings.Replace(text, "19808 kB", "19808 MB", 1), strings.Replace(text, "19808", "many", 1), "MemTotal: 1 kB\nWriteback: 2 kB\nDirty: 1 kB"} {
		if got := unwrittenIn([]byte(other)); got < much {
			t.Errorf("%q: %d kB; want what is too much", other, got)
		}
	}
	if got := unwritten(); got < 0 || got > much {
		t.Errorf("this machine has %d kB to write", got)
	}
}
