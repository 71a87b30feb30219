package crashtest

import (
	"fmt"
	"strings"
	"testing"
)

const recorded = `100 openat(AT_FDCWD<\x2f\x77>, "\x76", O_RDONLY|O_CLOEXEC|O_DIRECTORY) = 3<\x2f\x77\x2f\x76>
100 openat(3<\x2f\x77\x2f\x76>, "\x74\x6d\x70", O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0644) = 4<\x2f\x77\x2f\x76\x2f\x74\x6d\x70>
100 write(4<\x2f\x77\x2f\x76\x2f\x74\x6d\x70>, "\x61\x22\x0a\x29\x2c", 5) = 5
101 fsync(4</w/v/tmp> <unfinished ...>
100 --- SIGURG {si_signo=SIGURG, si_code=SI_TKILL, si_pid=100, si_uid=0} ---
102 openat(3</w/v>, "none", O_RDONLY <unfinished ...>
101 <... fsync resumed>)                = 0
102 <... openat resumed>) = -1 ENOENT (No such file or directory)
100 renameat2(3</w/v>, "tmp", 3</w/v>, "b\n\"\\\303\244", RENAME_EXCHANGE) = 0
100 pwrite64(5</w/v/s (deleted)>(deleted), "\061\0622", 3, 12) = 3
100 fcntl(5</w/v/s>, F_GETFL) = 0x8001 (flags O_WRONLY|O_LARGEFILE)
100 futex(0xc000, FUTEX_WAIT_PRIVATE, 0, {tv_sec=1, tv_nsec=2}) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)
100 writev(5</w/v/s>, [{iov_base="a,b", iov_len=3}, {iov_base="", iov_len=0}], 2) = 3
100 exit_group(0) = ?
100 +++ exited with 0 +++
`

func TestParseStrace(t *testing.T) {
	calls, err := parseStrace(strings.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, c := range calls {
		got.WriteString(c.Name)
		for _, a := range c.Args {
			fmt.Fprintf(&got, " [%s", a.Text)
			if a.Path != "" {
				fmt.Fprintf(&got, " at %s", a.Path)
			}
			if a.Data != nil {
				fmt.Fprintf(&got, "%q", a.Data)
			}
			got.WriteString("]")
		}
		fmt.Fprintf(&got, " = %d\n", c.Return)
	}
	const want = `openat [AT_FDCWD at /w] ["v"] [O_RDONLY|O_CLOEXEC|O_DIRECTORY] = 3
openat [3 at /w/v] ["tmp"] [O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC] [0644] = 4
write [4 at /w/v/tmp] ["a\"\n),"] [5] = 5
fsync [4 at /w/v/tmp] = 0
openat [3 at /w/v] ["none"] [O_RDONLY] = -1
renameat2 [3 at /w/v] ["tmp"] [3 at /w/v] ["b\n\"\\ä"] [RENAME_EXCHANGE] = 0
pwrite64 [5 at /w/v/s (deleted)] ["122"] [3] [12] = 3
fcntl [5 at /w/v/s] [F_GETFL] = 32769
writev [5 at /w/v/s] [[{iov_base="a,b", iov_len=3}, {iov_base="", iov_len=0}]] [2] = 3
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	if a := calls[1].Args[2]; !a.Has("O_CREAT") || a.Has("O_TRUNC") || a.Has("O_CRE") {
		t.Errorf("flags of %q", a.Text)
	}
	if a := calls[6].Args; a[3].Int() != 12 || a[0].Int() != 5 || a[1].Int() != -1 {
		t.Errorf("numbers of %v", a)
	}
}

// A line that cannot be parsed must be an error, not skipped: the call may matter.
func TestParseRefuses(t *testing.T) {
	for _, line := range []string{
		"write(4</a>, \"x\", 1) = 1",                  // no thread id
		"100 write(4</a>, \"\\x61\"..., 4000) = 4000", // cut off
		"100 write(4</a>, \"x",
		"100 write(4</a>, \"\\q\", 1) = 1",
		"100 write(4</a>, 1)",
		"100 write(4</a>, 1) = many",
		"100 nothing",
		"100 <... write resumed>, 1) = 1", // the call has no beginning
	} {
		if calls, err := parseStrace(strings.NewReader(line + "\n")); err == nil {
			t.Errorf("%q: read as %v", line, calls)
		}
	}
}

func FuzzParseStrace(f *testing.F) {
	f.Add(recorded)
	f.Fuzz(func(t *testing.T, text string) { _, _ = parseStrace(strings.NewReader(text)) })
}
