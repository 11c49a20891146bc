// Bpflink2go is bpf2go for programs of several files. It takes bpf2go's options, and runs the bpf2go
// of the cilium/ebpf in go.mod, which calls it back as the compiler: it compiles the C files, and links
// them with bpflink. So the Go files are bpf2go's own.
//
//	//go:generate go run bpflink.example/bpflink2go -gc count bpf/main.bpf.c bpf/maps.bpf.c -- -Iinclude
//
// -gc drops the maps, functions, variables and types that no program needs, also of one file, and
// says what that saves. The go.mod names the directory where bpflink is installed:
//
//	require bpflink.example/bpflink2go v0.0.0
//	replace bpflink.example/bpflink2go => /usr/local/share/bpflink/go
//
// See bpflink2go(1).
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const usage = `Usage: bpflink2go [OPTION]... IDENT FILE... [-- C-FLAG...]

Compiles C files, links them, and has bpf2go write Go files with the object. Files that
end in .o, .a or .bc are linked as they are. IDENT begins the names of all types and
functions.

`

// command is what the callback as a compiler needs of the command line.
type command struct {
	Compiler []string
	Linker   []string // with its options
	Inputs   []string // absolute paths
	Verbose  bool
}

// parse returns the command, and how to run bpf2go.
func parse(arguments []string) (*command, []string, error) {
	flags := flag.NewFlagSet("bpflink2go", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	gc := flags.Bool("gc", false, "drop what no program needs: maps, functions, variables, types; and list it")
	linker := flags.String("bpflink", "bpflink", "the `linker`")
	ldflags := flags.String("ldflags", "", "`options` of bpflink, such as -u NAME, which keeps the map NAME")
	generator := flags.String("bpf2go", "go run github.com/cilium/ebpf/cmd/bpf2go", "the `command` that runs bpf2go")
	verbose, _ := strconv.ParseBool(os.Getenv("V"))
	flags.BoolVar(&verbose, "verbose", verbose, "show commands and figures ($V)")
	compiler := flags.String("cc", os.Getenv("BPF2GO_CC"), "the `compiler`; clang or clang-19 unless given ($BPF2GO_CC)")
	noStrip := flags.Bool("no-strip", false, "keep DWARF")
	flags.String("strip", "", "accepted: bpflink drops DWARF itself")

	// Of bpf2go, if its version has them
	var options, types []string
	noTypes := flags.Bool("no-global-types", false, "write no types of variables, keys and values")
	for _, option := range [][]string{
		{"cflags", "`flags` of the compiler, before those after -- ($BPF2GO_CFLAGS)", os.Getenv("BPF2GO_CFLAGS")},
		{"go-package", "the `package`, $GOPACKAGE unless given (cilium/ebpf 0.13)", ""},
		{"makebase", "write make rules relative to the `directory` ($BPF2GO_MAKEBASE)", os.Getenv("BPF2GO_MAKEBASE")},
		{"output-dir", "the `directory` to write into (cilium/ebpf 0.13)", ""},
		{"output-stem", "what file names begin with, IDENT unless given (cilium/ebpf 0.9.3)", ""},
		{"output-suffix", "what file names end with, such as _test (cilium/ebpf 0.17.2)", ""},
		{"tags", "build `constraints` of the Go files", ""},
		{"target", "`architectures`: bpfel, bpfeb, bpf, amd64, ...; separated by commas", ""},
		{"type", "the `name` of a C type to write besides; may be repeated", ""},
	} {
		name, description, value := option[0], option[1], option[2]
		add := func(value string) error {
			options = append(options, "-"+name+"="+value)
			if name == "type" {
				types = append(types, "--keep-type", value)
			}
			return nil
		}
		if value != "" {
			add(value)
		}
		flags.Func(name, description, add)
	}

	var cflags []string
	for i, argument := range arguments {
		if argument == "--" {
			arguments, cflags = arguments[:i], arguments[i:]
			break
		}
	}
	if err := flags.Parse(arguments); err != nil {
		return nil, nil, err
	}
	if flags.NArg() < 2 {
		return nil, nil, errors.New("an identifier and at least one file are needed; -h shows more")
	}
	c := &command{Verbose: verbose, Compiler: strings.Fields(*compiler), Linker: append([]string{*linker}, strings.Fields(*ldflags)...)}
	if len(c.Compiler) == 0 {
		c.Compiler = []string{"clang"}
		if _, err := exec.LookPath("clang"); err != nil {
			c.Compiler = []string{"clang-19"} // Debian's name
		}
	}
	if *gc {
		c.Linker = append(append(c.Linker, "--gc-maps", "--print-gc-sections"), types...)
	}
	if *noStrip {
		c.Linker = append(c.Linker, "--keep-debug")
	}
	if *noTypes {
		options = append(options, "-no-global-types")
	}
	for _, input := range flags.Args()[1:] {
		path, err := filepath.Abs(input)
		if err != nil {
			return nil, nil, err
		}
		c.Inputs = append(c.Inputs, path)
	}
	self, err := os.Executable()
	bpf2go := append(append(strings.Fields(*generator), "-cc", self, "-no-strip"), options...)
	return c, append(append(bpf2go, flags.Args()[:2]...), cflags...), err
}

// handover is the environment variable with the command for the callback, as JSON.
const handover = "BPFLINK2GO"

// generate runs bpf2go.
func generate(arguments []string) error {
	c, bpf2go, err := parse(arguments)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	// Bpf2go runs here, whatever the Go files are for.
	os.Setenv("GOOS", runtime.GOOS)
	os.Setenv("GOARCH", runtime.GOARCH)
	if c.Verbose {
		os.Setenv("V", "1")
	}
	os.Setenv(handover, string(text))
	return c.run(bpf2go)
}

// run runs a program, which prints its own errors.
func (c *command) run(arguments []string) error {
	if c.Verbose {
		fmt.Fprintln(os.Stderr, strings.Join(arguments, " "))
	}
	program := exec.Command(arguments[0], arguments[1:]...)
	program.Stdout, program.Stderr = os.Stderr, os.Stderr
	return program.Run()
}

func main() {
	var err error
	if text, ok := os.LookupEnv(handover); ok {
		err = compile(text, os.Args[1:])
	} else {
		err = generate(os.Args[1:])
	}
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return
	case !errors.As(err, &exit):
		fmt.Fprintln(os.Stderr, "bpflink2go:", err)
	}
	os.Exit(1)
}
