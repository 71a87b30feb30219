package command

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// become removes the rights that the program must not have from this process, and then executes the program in it. It
// also checks everything that must hold at that moment.
func become(j job) int {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0) // die with the supervisor
	runtime.LockOSThread()                                                   // the confined thread becomes the program
	if err := confine(j); err != nil {
		fmt.Fprintln(os.Stderr, "arbor: the program was not started, as it cannot be confined:", err)
		return 126
	}
	err := syscall.Exec(j.Argv[0], j.Argv, j.Env)
	fmt.Fprintf(os.Stderr, "arbor: %s cannot be started: %v\n", j.Argv[0], err)
	return 127
}

func confine(j job) error {
	w, err := wayOf(j.Way)
	if err != nil || w.name == "" {
		return err
	}
	if w.name == Landlock {
		if err := landlocked(j.Reach, j.Argv[0]); err != nil {
			return err
		}
	}
	if err := powerless(); err != nil {
		return err
	}
	families := []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} // with its own namespaces
	switch {
	case j.Reach.Network:
		families = nil
	case !w.mounts:
		families = []uint32{}
	}
	return filter(families)
}

// powerless drops all capabilities for good: those of root, and those that a program has in a namespace of its own.
func powerless() error {
	for c := uintptr(0); c < 64; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // fails without capabilities
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	var none [2]unix.CapUserData
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}

// abis are the kernel's numbers for how programs of a processor call it.
var abis = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64}

// The offsets of the data that a filter judges, and the bit that marks calls of x32, a second ABI of amd64.
const (
	callNumber  = 0
	callABI     = 4
	callFirst32 = 16 // of the first argument: its lower half, on a little-endian processor
	x32         = 0x40000000
)

// filter lets this thread, and the program that it becomes, make only sockets of these families; nil allows all. It
// also refuses other ways to make sockets (io_uring, another ABI) and access to the person's kernel keys.
func filter(families []uint32) error {
	abi, ok := abis[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("no filter of system calls is known for %s", runtime.GOARCH)
	}
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		least = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		end   = unix.BPF_RET | unix.BPF_K
	)
	var f []unix.SockFilter
	add := func(code uint16, k uint32, yes, no int) {
		f = append(f, unix.SockFilter{Code: code, Jt: uint8(yes), Jf: uint8(no), K: k})
	}
	refuse := func(errno syscall.Errno) { add(end, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0) }
	add(load, callABI, 0, 0)
	add(equal, abi, 1, 0)
	add(end, unix.SECCOMP_RET_KILL_PROCESS, 0, 0)
	add(load, callNumber, 0, 0)
	add(least, x32, 0, 1)
	add(end, unix.SECCOMP_RET_KILL_PROCESS, 0, 0)
	for _, call := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY} {
		add(equal, call, 0, 1)
		refuse(unix.ENOSYS)
	}
	if families != nil {
		add(equal, unix.SYS_SOCKET, 0, 2+2*len(families))
		add(load, callFirst32, 0, 0)
		for _, family := range families {
			add(equal, family, 0, 1)
			add(end, unix.SECCOMP_RET_ALLOW, 0, 0)
		}
		refuse(unix.EACCES)
	}
	add(end, unix.SECCOMP_RET_ALLOW, 0, 0)
	program := &unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	defer runtime.KeepAlive(program)
	return named("no filter of system calls", unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, reflect.ValueOf(program).Pointer(), 0, 0))
}
