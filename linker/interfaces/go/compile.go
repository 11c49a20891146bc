package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// compile does what bpf2go wants of a compiler: it makes the object. If that fails, the old object stays
// as it was.
func compile(text string, arguments []string) error {
	var c command
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	flags, output, rules, err := split(arguments)
	if err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "bpflink2go")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	link := append(c.Linker, "-o", output)
	if c.Verbose {
		link = append(link, "--emit-stats")
	}
	var inputs, headers strings.Builder // of the make rule
	for i, input := range c.Inputs {
		switch filepath.Ext(input) {
		case ".o", ".a", ".bc":
			inputs.WriteString(" " + input)
		default:
			source := input
			input = filepath.Join(directory, fmt.Sprintf("%d.%s.o", i, filepath.Base(source)))
			own := append(flags[:len(flags):len(flags)], "-c", source, "-o", input)
			if rules != "" {
				own = append(own, "-MF"+input+".d")
			}
			if err := c.compileFile(own, filepath.Dir(source)); err != nil {
				return err
			}
			if rules != "" {
				text, err := os.ReadFile(input + ".d")
				if err != nil {
					return err
				}
				rule, others, _ := strings.Cut(strings.ReplaceAll(string(text), "\\\n", ""), "\n")
				_, prerequisites, _ := strings.Cut(rule, ":")
				inputs.WriteString(prerequisites)
				headers.WriteString(others)
			}
		}
		link = append(link, input)
	}
	if err := c.run(link); err != nil || rules == "" {
		return err
	}
	return os.WriteFile(rules, []byte(output+":"+inputs.String()+"\n"+headers.String()), 0o666)
}

// split returns bpf2go's flags without files, the object to write, and the file for make rules, or "".
func split(arguments []string) (flags []string, output, rules string, err error) {
	for i := 0; i < len(arguments); i++ {
		argument := arguments[i]
		switch {
		case argument == "-c" && i+3 < len(arguments) && arguments[i+2] == "-o":
			output = arguments[i+3]
			i += 3
		case strings.HasPrefix(argument, "-MF"):
			rules = argument[3:]
		default:
			flags = append(flags, argument)
		}
	}
	if output == "" {
		err = errors.New("this version of bpf2go calls the compiler in an unknown way")
	}
	return flags, output, rules, err
}

// compileFile compiles a file of a directory with all flags.
func (c *command) compileFile(flags []string, directory string) error {
	arguments := append(c.Compiler[:len(c.Compiler):len(c.Compiler)], flags...)
	// A C compiler finds Debian's <asm/types.h> here.
	if matches, _ := filepath.Glob("/usr/include/*-linux-gnu/asm"); len(matches) > 0 {
		arguments = append(arguments, "-idirafter", filepath.Dir(matches[0]))
	}
	// Paths in the object do not depend on the project's directory.
	if current, err := os.Getwd(); err == nil {
		if relative, err := filepath.Rel(current, directory); err == nil {
			arguments = append(arguments, "-fdebug-prefix-map="+directory+"="+relative)
		}
	}
	return c.run(arguments)
}
