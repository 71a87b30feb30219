package engine_test

import "os"

// heavy says that the loads are to be those of the nightly run.
var heavy = os.Getenv("ARBOR_HEAVY") != ""
