//go:build !unix

package clients

const nonblock = 0
