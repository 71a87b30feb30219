// Package command runs a program with a folder as its working directory, confined to it where the system can, and ends it
// with all that it started.
package command
