package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// streams looks after a stdout that is printed to as things happen. It may be a pipe whose reader ends long before the next line: head does. What writes to
// it would be killed, or would wait for something to write; as it is, the write fails, and where the system can tell, unread is called before.
func streams(stdout *os.File) func(unread func()) (done func()) {
	return func(unread func()) (done func()) {
		signal.Ignore(syscall.SIGPIPE)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			look := time.NewTicker(time.Second)
			defer look.Stop()
			for isPipe(stdout) {
				select {
				case <-ctx.Done():
					return
				case <-look.C:
				}
				if isUnread(stdout) {
					unread()
					return
				}
			}
		}()
		return func() {
			stop()
			<-ended
			signal.Reset(syscall.SIGPIPE)
		}
	}
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}
