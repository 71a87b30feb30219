// Package mdstore gives meaning to the vault's files: the forms of Workspace.md, Node.md and other kinds, the versions
// and changes of files, and the Store that holds them. It does no I/O of its own; its subpackages do.
//
// Who writes a store needs few of the names below. Store has five methods, of which Update gives a Tx, with Path, File,
// Entry, Stamp, Version, Change and Result in them. It reports what went wrong with fs.ErrNotExist, *ConflictError,
// *BusyError and *UnfinishedError. CheckChanges refuses changes that no store accepts. The further capabilities, each an
// interface of its own, are listed at AsStore; Local is the one that claims, sessions and undo need. Package storetest
// judges the result, and docs/library.md has an example.
//
// Who reads files needs Path, ParseWorkspace, ParseNode and ParsePage. The other names are the vocabulary of the format,
// docs/format.md, for the packages of this module: they change with it.
package mdstore
