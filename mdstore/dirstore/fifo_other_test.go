//go:build !unix

package dirstore_test

func mkfifo(string) bool { return false }
