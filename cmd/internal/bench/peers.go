package main

import "context"
import "io"

func forms() []string { return nil }
func writePlan(form, dir string, n int) error { return nil }
func compare(ctx context.Context, c config, w io.Writer) error { return nil }
