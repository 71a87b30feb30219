//go:build !unix

package guard

// NonBlock is the flag with which opening a pipe does not wait for its other end. Here no file is a pipe.
const NonBlock = 0

var scarce []error
