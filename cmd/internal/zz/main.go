package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"time"

	"arbor/engine"
	"arbor/mdstore/dirstore"
)

func main() {
	dir := os.Args[1]
	cold := len(os.Args) > 2
	f, _ := os.Create("/tmp/cpu.prof")
	var ts []float64
	for i := 0; i < 60; i++ {
		if cold {
			os.RemoveAll(dir + "/.local")
		}
		if i == 5 {
			pprof.StartCPUProfile(f)
		}
		t := time.Now()
		st, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil { panic(err) }
		e, _ := engine.Open(context.Background(), st, engine.Options{})
		s, err := e.Snapshot(context.Background(), "ws-mjwtyz28-bench0")
		if err != nil { panic(err) }
		ts = append(ts, float64(time.Since(t).Microseconds())/1000)
		_ = s.Len()
		st.Close()
	}
	pprof.StopCPUProfile()
	sort.Float64s(ts)
	fmt.Println("median", ts[len(ts)/2], "min", ts[0], "p90", ts[len(ts)*9/10])
}
