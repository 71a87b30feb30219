//go:build !unix

package setup

const nonblock = 0
