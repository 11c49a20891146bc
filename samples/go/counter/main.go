// Counter prints names and types of an object that go generate linked from two C files. Any loader
// can load the object.
package main

//go:generate go run bpflink.example/bpflink2go -no-loader counter ../../rust/counter/bpf/main.bpf.c ../../rust/counter/bpf/state.bpf.c

import (
	"encoding/binary"
	"fmt"
)

func main() {
	fmt.Println("object:", len(_CounterBytes) > 0)
	fmt.Println("program", counterProgramCount)
	fmt.Println("map", counterMapPackets, "values of", binary.Size(counterEvent{}), "bytes")
	fmt.Println("bss:", binary.Size(counterBss{}), "bytes")
	fmt.Println("verdict", counterEvent{Verdict: counterVerdictDROP}.Verdict)
}
