// Measures parsing and formatting with the Go library of HCL, for comparison with kinu_parse_bench:
//
//	reference FILE...
//
// go.mod pins the versions of OpenTofu 1.12. Throughput is that of the best run.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/hcl/v2/json"
)

const runs = 5

// cpu returns the CPU time of all threads, because the garbage collector runs beside the parser.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(path, what string, source []byte, run func() any) {
	best := time.Hour
	var memory uint64
	for i := 0; i < runs; i++ {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := cpu()
		result := run()
		best = min(best, cpu()-start)
		runtime.GC()
		runtime.ReadMemStats(&after)
		memory = after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
		runtime.KeepAlive(result)
	}
	size := float64(len(source))
	fmt.Printf("%-12s %6.2f MB  %-6s  Go   %7.1f MB/s  %6.2f ms", path, size/1e6, what,
		size/1e6/best.Seconds(), float64(best.Microseconds())/1e3)
	if what == "parse" {
		fmt.Printf("  %.1f bytes per byte", float64(memory)/size)
	}
	fmt.Println()
}

func main() {
	for _, path := range os.Args[1:] {
		source, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if strings.HasSuffix(path, ".json") {
			measure(path, "parse", source, func() any {
				file, _ := json.Parse(source, path)
				return file
			})
			continue
		}
		measure(path, "parse", source, func() any {
			file, _ := hclsyntax.ParseConfig(source, path, hcl.InitialPos)
			return file
		})
		measure(path, "format", source, func() any { return hclwrite.Format(source) })
	}
}
