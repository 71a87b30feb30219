package osfs

import (
	"sync"

	"golang.org/x/sys/unix"
)

var boot = sync.OnceValue(func() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
})
