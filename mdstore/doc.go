// Package mdstore gives meaning to the vault's files: the forms of Workspace.md, Node.md and other kinds, the versions
// and changes of files, and the Store that holds them. It does no I/O of its own; its subpackages do.
//
// A store needs few of the names below. Store has five methods, of which Update gives a Tx, with Path, File, Entry,
// Stamp, Version, Change and Result in them. It reports what went wrong with fs.ErrNotExist, *ConflictError, *BusyError
// and *UnfinishedError. CheckChanges refuses changes that no store accepts. AsStore lists further capabilities, each an
// interface of its own; claims, sessions and undo need Local. Package storetest judges the result, and docs/library.md
// has an example.
//
// A reader of files needs Path, ParseWorkspace, ParseNode and ParsePage. The other names are the vocabulary of the
// format (docs/format.md) for the packages of this module, and change with it.
package mdstore
