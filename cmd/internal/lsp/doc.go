// Package lsp serves the Markdown files of vaults to editors, in the Language Server Protocol. What files mean it asks
// the engine: it knows texts, positions and messages.
//
// One goroutine, Serve's, owns all state. What others find out, the reader of the stream and the followers of vaults,
// they post to it as functions.
package lsp
