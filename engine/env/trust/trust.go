// Package trust keeps what the person of this machine has decided about environments, tools and calls. It lies outside of
// every vault, so that nothing that came with a folder is ever read as trust.
package trust
