// Counter prints the names and types of an object that go generate linked from two C files.
package main

//go:generate go run bpflink.example/bpflink2go counter ../../rust/counter/bpf/main.bpf.c ../../rust/counter/bpf/state.bpf.c

import (
	"fmt"
	"log"
)

func main() {
	spec, err := loadCounter()
	if err != nil {
		log.Fatal(err)
	}
	var specs counterSpecs
	if err := spec.Assign(&specs); err != nil {
		log.Fatal(err)
	}
	fmt.Println("program", specs.Count.Name, "in section", specs.Count.SectionName)
	fmt.Println("map", specs.Packets.Name, "values of", specs.Packets.ValueSize, "bytes")
	fmt.Println("length", counterEvent{Length: 7, Address4: 1}.Length)
}
