package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles and links the files into output. If it fails, the old output stays as it was.
func build(c *command, target, output string) error {
	directory, err := os.MkdirTemp("", "bpflink2go")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	arguments := []string{"--json-diagnostics", "--json", filepath.Join(directory, "figures.json"), "-o", output}
	if c.keepDebug {
		arguments = append(arguments, "--keep-debug")
	}
	for i, input := range c.inputs {
		if strings.HasSuffix(input, ".c") {
			object := filepath.Join(directory, fmt.Sprintf("%d.%s.o", i, filepath.Base(input)))
			if err := compile(c, target, input, object); err != nil {
				return err
			}
			input = object
		}
		arguments = append(arguments, input)
	}
	if err := link(c, arguments); err != nil {
		return err
	}
	if c.verbose {
		return showFigures(output, filepath.Join(directory, "figures.json"))
	}
	return nil
}

func compile(c *command, target, source, object string) error {
	arguments := []string{"--target=" + target, "-g", "-O2", "-mcpu=v3", "-Wall"}
	// A C compiler finds Debian's <asm/types.h> here.
	if matches, _ := filepath.Glob("/usr/include/*-linux-gnu/asm"); len(matches) > 0 {
		arguments = append(arguments, "-idirafter", filepath.Dir(matches[0]))
	}
	// Paths in the object do not depend on the project's directory.
	if current, err := os.Getwd(); err == nil {
		arguments = append(arguments, "-ffile-prefix-map="+current+"=.")
	}
	arguments = append(append(arguments, c.cflags...), "-c", source, "-o", object)
	command := exec.Command(compiler(c), arguments...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	show(c, command)
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

func compiler(c *command) string {
	if c.cc != "" {
		return c.cc
	}
	if _, err := exec.LookPath("clang"); err != nil {
		return "clang-19" // Debian's name
	}
	return "clang"
}

// diagnostic is a line of bpflink --json-diagnostics.
type diagnostic struct {
	Severity  string
	Message   string
	Details   []string
	Locations []struct {
		Source string
		Line   int
		Column int
	}
}

// link runs the linker and prints its messages as compilers do, with the place first, so that editors
// can jump to it.
func link(c *command, arguments []string) error {
	var messages bytes.Buffer
	command := exec.Command(c.bpflink, arguments...)
	command.Stderr = &messages
	show(c, command)
	failure := command.Run()
	var exit *exec.ExitError
	if failure != nil && !errors.As(failure, &exit) {
		return failure
	}
	for _, line := range bytes.Split(bytes.TrimSpace(messages.Bytes()), []byte("\n")) {
		var d diagnostic
		if json.Unmarshal(line, &d) != nil { // such as the message of a crash
			fmt.Fprintf(os.Stderr, "%s\n", line)
			continue
		}
		place := "bpflink"
		for _, location := range d.Locations {
			if location.Source != "" {
				place = fmt.Sprintf("%s:%d:%d", location.Source, location.Line, location.Column)
				break
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %s: %s\n", place, d.Severity, d.Message)
		for _, detail := range d.Details {
			fmt.Fprintln(os.Stderr, detail)
		}
	}
	if failure != nil {
		return errors.New("the link failed")
	}
	return nil
}

// showFigures prints figures from the report that bpflink --json wrote.
func showFigures(output, file string) error {
	var figures struct {
		Objects int
		Types   struct{ In, Out int }
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &figures)
	}
	if err != nil {
		return fmt.Errorf("figures of the link: %w", err)
	}
	fmt.Fprintf(os.Stderr, "%s: %d objects linked, %d of %d types left\n", output, figures.Objects, figures.Types.Out,
		figures.Types.In)
	return nil
}

func show(c *command, command *exec.Cmd) {
	if c.verbose {
		fmt.Fprintln(os.Stderr, strings.Join(command.Args, " "))
	}
}
