package main

import (
	"debug/elf"
	"errors"
	"strings"
)

// object has the contents of an object that user space needs.
type object struct {
	btf      *btf
	programs []string
	maps     []mapDefinition
	sections []dataSection
}

// mapDefinition is a map; an id is 0 if the definition has no such type.
type mapDefinition struct {
	name       string
	key, value uint32
}

// dataSection is a section for which the loader creates a map.
type dataSection struct {
	name      string
	size      uint32
	variables []variable
}

type variable struct {
	name   string
	typ    uint32
	offset uint32
	size   uint32
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
	section := file.Section(".BTF")
	if section == nil {
		return nil, errors.New("it has no BTF: compile with -g")
	}
	blob, err := section.Data()
	if err != nil {
		return nil, err
	}
	if o.btf, err = readBTF(blob, file.ByteOrder); err != nil {
		return nil, err
	}
	for i := range o.btf.types {
		if t := &o.btf.types[i]; t.kind == kindDatasec {
			o.addDatasec(t)
		}
	}
	return o, nil
}

func (o *object) addDatasec(t *btfType) {
	isData := false
	for _, prefix := range []string{".data", ".rodata", ".bss"} {
		isData = isData || t.name == prefix || strings.HasPrefix(t.name, prefix+".")
	}
	section := dataSection{name: t.name, size: t.size}
	for i := 0; i < len(t.data)/3; i++ {
		entry := t.element(i, 3)
		v := o.btf.get(entry[0])
		if v.kind != kindVar {
			continue
		}
		if t.name == ".maps" {
			o.addMap(v)
		} else if isData && v.data[0] != 0 { // not static: names of static variables may not be unique
			section.variables = append(section.variables, variable{v.name, v.ref, entry[1], entry[2]})
		}
	}
	if isData {
		o.sections = append(o.sections, section)
	}
}

// addMap adds a map. Its definition is a struct with pointers to the types of key and value.
func (o *object) addMap(v *btfType) {
	m := mapDefinition{name: v.name}
	_, definition, _ := o.btf.skip(v.ref)
	if definition.kind == kindStruct {
		for i := 0; i < len(definition.data)/3; i++ {
			member := definition.element(i, 3)
			pointer := o.btf.get(member[1])
			if pointer.kind != kindPtr {
				continue
			}
			switch o.btf.text(member[0]) {
			case "key":
				m.key = pointer.ref
			case "value":
				m.value = pointer.ref
			}
		}
	}
	o.maps = append(o.maps, m)
}
