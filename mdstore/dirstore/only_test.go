package dirstore_test

import "arbor/mdstore"

// only returns the error of a commit, for tests that need no more.
func only(_ mdstore.Result, err error) error { return err }
