package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"strings"

	"github.com/cilium/ebpf/btf"
)

// object has the contents of an object that user space needs.
type object struct {
	types    *btf.Spec
	programs []string
	maps     []mapDefinition
	sections []*btf.Datasec // those for which the loader creates maps
}

// mapDefinition is a map; a type is nil if the definition does not name it.
type mapDefinition struct {
	name       string
	key, value btf.Type
}

func readObject(path string) (*object, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	o := &object{}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	for _, symbol := range symbols {
		isFunction := elf.ST_TYPE(symbol.Info) == elf.STT_FUNC && elf.ST_BIND(symbol.Info) != elf.STB_LOCAL
		if !isFunction || int(symbol.Section) >= len(file.Sections) {
			continue
		}
		section := file.Sections[symbol.Section]
		if section.Flags&elf.SHF_EXECINSTR != 0 && section.Name != ".text" {
			o.programs = append(o.programs, symbol.Name)
		}
	}
	if file.Section(".BTF") == nil {
		return nil, errors.New("it has no BTF: compile with -g")
	}
	if o.types, err = btf.LoadSpec(path); err != nil {
		return nil, fmt.Errorf("github.com/cilium/ebpf, in the version of go.mod, does not read its BTF: %w", err)
	}
	for _, section := range file.Sections {
		var variables *btf.Datasec
		if o.types.TypeByName(section.Name, &variables) == nil {
			o.addDatasec(variables)
		}
	}
	return o, nil
}

func (o *object) addDatasec(section *btf.Datasec) {
	if section.Name == ".maps" {
		for _, entry := range section.Vars {
			if v, ok := entry.Type.(*btf.Var); ok {
				o.addMap(v)
			}
		}
	}
	for _, prefix := range []string{".data", ".rodata", ".bss"} {
		if section.Name == prefix || strings.HasPrefix(section.Name, prefix+".") {
			o.sections = append(o.sections, section)
		}
	}
}

// addMap adds a map. Its definition is a struct with pointers to the types of key and value.
func (o *object) addMap(v *btf.Var) {
	m := mapDefinition{name: v.Name}
	if definition, ok := btf.UnderlyingType(v.Type).(*btf.Struct); ok {
		for _, member := range definition.Members {
			pointer, ok := member.Type.(*btf.Pointer)
			switch {
			case ok && member.Name == "key":
				m.key = pointer.Target
			case ok && member.Name == "value":
				m.value = pointer.Target
			}
		}
	}
	o.maps = append(o.maps, m)
}
