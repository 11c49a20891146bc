// Bpflink2go compiles several C files for BPF, links them with bpflink, and writes Go files that
// embed the object and declare its names and types. Like bpf2go, it is called by go generate:
//
//	//go:generate go run bpflink.example/bpflink2go counter main.bpf.c state.bpf.c -- -Iinclude
//
// The go.mod of the module names the directory where bpflink is installed:
//
//	require bpflink.example/bpflink2go v0.0.0
//	replace bpflink.example/bpflink2go => /usr/local/share/bpflink/go
//
// It accepts bpf2go's options; the files may include objects and archives. The code that it writes
// for github.com/cilium/ebpf has the same names as bpf2go's. With -no-loader, the code needs only
// the standard library. Types are written by the version of github.com/cilium/ebpf in go.mod, 0.9.1
// or later. Only clang and bpflink have to be installed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

const usage = `Usage: bpflink2go [OPTION]... IDENT FILE... [-- C-FLAG...]

Compiles and links the files, and writes IDENT_bpfel.go and IDENT_bpfeb.go with their
objects. IDENT begins the names of all types and functions.

`

// command is the parsed command line.
type command struct {
	ident     string
	inputs    []string
	cflags    []string
	cc        string
	bpflink   string
	pkg       string
	directory string
	stem      string
	tags      string
	targets   []string
	types     list
	skipTypes bool
	keepDebug bool
	loader    bool
	verbose   bool
}

// list is the value of a flag that can be given several times.
type list []string

func (l *list) String() string         { return strings.Join(*l, ",") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

func parse(arguments []string) (*command, error) {
	var c command
	flags := flag.NewFlagSet("bpflink2go", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&c.cc, "cc", "", "the `compiler`; clang or clang-19 unless given")
	cflags := flags.String("cflags", "", "`flags` of the compiler, before those after --")
	flags.StringVar(&c.bpflink, "bpflink", "bpflink", "the linker")
	flags.StringVar(&c.pkg, "go-package", os.Getenv("GOPACKAGE"), "the `package`; that of go generate unless given")
	flags.StringVar(&c.directory, "output-dir", "", "the `directory` to write into")
	flags.StringVar(&c.stem, "output-stem", "", "what file names begin with, IDENT in lower case unless given")
	flags.StringVar(&c.tags, "tags", "", "build `constraints` of the files written, separated by commas")
	target := flags.String("target", "bpfel,bpfeb", "byte `orders`: bpfel, bpfeb")
	flags.Var(&c.types, "type", "the `name` of a C type to write besides; may be repeated")
	flags.BoolVar(&c.skipTypes, "no-global-types", false, "write no types of variables, keys and values")
	flags.BoolVar(&c.keepDebug, "no-strip", false, "keep DWARF")
	flags.String("strip", "", "accepted, as the linker drops DWARF itself")
	noLoader := flags.Bool("no-loader", false, "write nothing that needs github.com/cilium/ebpf")
	flags.BoolVar(&c.verbose, "v", false, "show commands and figures")
	before, after := cut(arguments)
	if err := flags.Parse(before); err != nil {
		return nil, err
	}
	c.loader = !*noLoader
	c.cflags = append(strings.Fields(*cflags), after...)
	c.targets = strings.Split(*target, ",")
	for _, name := range c.targets {
		if _, known := architectures[name]; !known {
			return nil, fmt.Errorf("-target %s: neither bpfel nor bpfeb", name)
		}
	}
	if c.pkg == "" {
		return nil, errors.New("no package: run by go generate, or give -go-package")
	}
	if flags.NArg() < 2 {
		return nil, errors.New("an identifier and at least one file are needed; -h shows more")
	}
	c.ident, c.inputs = flags.Arg(0), flags.Args()[1:]
	if !token.IsIdentifier(c.ident) {
		return nil, fmt.Errorf("%q is no identifier", c.ident)
	}
	if c.stem == "" {
		c.stem = strings.ToLower(c.ident)
	}
	return &c, nil
}

// cut returns the arguments before "--" and those after it.
func cut(arguments []string) ([]string, []string) {
	for i, argument := range arguments {
		if argument == "--" {
			return arguments[:i], arguments[i+1:]
		}
	}
	return arguments, nil
}

// run writes the object and the Go file for one target.
func run(c *command, target string) error {
	base := filepath.Join(c.directory, c.stem+"_"+target)
	if err := build(c, target, base+".o"); err != nil {
		return err
	}
	object, err := readObject(base + ".o")
	if err != nil {
		return fmt.Errorf("%s.o: %w", base, err)
	}
	text, err := write(c, target, filepath.Base(base)+".o", object)
	if err != nil {
		return fmt.Errorf("%s.o: %w", base, err)
	}
	return os.WriteFile(base+".go", text, 0o666)
}

func main() {
	c, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		for _, target := range c.targets {
			if err = run(c, target); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bpflink2go:", err)
		os.Exit(1)
	}
}
