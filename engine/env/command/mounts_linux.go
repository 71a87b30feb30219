package command

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// system are the files and folders that programs need, which are read and run, and the devices that they also write to.
var (
	system = []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/sys/devices/system/cpu",
	}
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
)

// reads returns the paths that a program may read besides its own folders: the system's files, the folders of PATH,
// the program itself and the paths of its definition. Paths inside the root are left out, as the root covers them.
func (r reach) reads(more ...string) (all []string) {
	all = append(slices.Clone(system), r.Read...)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && filepath.Clean(dir) != "/" {
			all = append(all, filepath.Clean(dir))
		}
	}
	if r.Network {
		all = append(all, "/etc/resolv.conf") // a link into /run, mostly
	}
	for _, p := range more {
		all = append(all, p)
		if real, err := filepath.EvalSymlinks(p); err == nil {
			all = append(all, real)
		}
	}
	return slices.DeleteFunc(all, func(p string) bool { return below(r.Root, p) })
}

// A mount is a file or folder that a program sees.
type mount struct {
	how  string
	from string // of readOnly and writable: the real path, without links
	at   string
}

// How it sees them.
const (
	readOnly = "read only"
	writable = "writable"
	hidden   = "hidden" // an empty folder
	procs    = "its own processes"
	nodes    = "devices"
)

// mounts returns all that a program sees, outer folders first: the innermost one of a path counts.
func (r reach) mounts(more ...string) []mount {
	all := []mount{{procs, "", "/proc"}, {nodes, "", "/dev"}, {writable, r.Temp, "/tmp"}}
	for _, p := range append(r.reads(more...), "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus") { // root changes the system in these
		real, err := filepath.EvalSymlinks(p)
		if err != nil || slices.ContainsFunc(r.Hidden, func(h string) bool { return below(h, real) }) {
			continue // it does not exist or is hidden
		}
		if target, err := os.Readlink(p); p == "/etc/resolv.conf" && err == nil {
			p = target // the link itself is in /etc
			if !filepath.IsAbs(p) {
				p = filepath.Join("/etc", target)
			}
		}
		all = append(all, mount{readOnly, real, p})
	}
	all = append(all, mount{writable, r.Root, r.Root})
	for _, m := range slices.Clone(all) {
		for _, h := range r.Hidden {
			if rel, err := filepath.Rel(m.from, h); m.from != "" && err == nil && filepath.IsLocal(rel) {
				all = append(all, mount{hidden, "", filepath.Join(m.at, rel)})
			}
		}
	}
	for _, p := range r.Kept {
		all = append(all, mount{readOnly, p, p})
	}
	for _, p := range r.Sockets {
		all = append(all, mount{readOnly, "/dev/null", p})
	}
	if r.Home != r.Temp {
		all = append(all, mount{writable, r.Home, r.Home})
	}
	last := map[string]int{} // index of the last mount at a path, which counts
	for i, m := range all {
		last[m.at] = i
	}
	i := -1
	all = slices.DeleteFunc(all, func(m mount) bool { i++; return last[m.at] != i })
	slices.SortStableFunc(all, func(a, b mount) int { return cmp.Compare(depth(a.at), depth(b.at)) })
	return all
}

func depth(p string) int { return strings.Count(strings.TrimSuffix(p, "/"), "/") }

// bubblewrap returns the arguments of bwrap up to the program.
func bubblewrap(r reach, more ...string) []string {
	args := []string{"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session", "--cap-drop", "ALL"}
	if !r.Network {
		args = append(args, "--unshare-net")
	}
	var empty []string
	for _, m := range r.mounts(more...) {
		switch m.how {
		case readOnly:
			args = append(args, "--ro-bind", m.from, m.at)
		case writable:
			args = append(args, "--bind", m.from, m.at)
		case hidden:
			args, empty = append(args, "--tmpfs", m.at), append(empty, "--remount-ro", m.at)
		case procs:
			args = append(args, "--proc", m.at)
		case nodes:
			args = append(args, "--dev", m.at)
		}
	}
	return append(append(args, empty...), "--remount-ro", "/", "--chdir", r.Root)
}
