package main

import (
	"fmt"
	"go/token"
	"sort"
	"strings"
	"unicode"
)

// deepest is the maximum depth of nested structs and arrays.
const deepest = 64

// types writes Go declarations. Types have the layout of C if encoding/binary or cilium/ebpf reads or
// writes them: padding is explicit, as fields `_`.
type types struct {
	btf    *btf
	stem   string // prefix of all names
	names  map[uint32]string
	taken  map[string]bool
	wanted []uint32
	text   strings.Builder
}

func newTypes(b *btf, stem string) *types {
	return &types{btf: b, stem: stem, names: map[uint32]string{}, taken: map[string]bool{}}
}

// camel returns "RxQueue" for "rx_queue".
func camel(name string) string {
	var text strings.Builder
	upper := true
	for _, r := range name {
		if r == '_' || !(unicode.IsLetter(r) || unicode.IsDigit(r)) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		text.WriteRune(r)
	}
	if result := text.String(); result != "" && unicode.IsLetter(rune(result[0])) {
		return result
	}
	return "X" + text.String()
}

// unique makes a name unique: the second becomes name2.
func unique(taken map[string]bool, name string) string {
	candidate := name
	for i := 2; taken[candidate] || token.IsKeyword(candidate); i++ {
		candidate = fmt.Sprint(name, i)
	}
	taken[candidate] = true
	return candidate
}

// reserve makes a name unique that no type will have.
func (t *types) reserve(name string) string { return unique(t.taken, name) }

// name returns the name of a type, and has declarations declare it.
func (t *types) name(id uint32, name string) string {
	if known, ok := t.names[id]; ok {
		return known
	}
	result := unique(t.taken, t.stem+camel(name))
	t.names[id] = result
	t.wanted = append(t.wanted, id)
	return result
}

// expression returns the type in Go; depth is its depth of nesting.
func (t *types) expression(id uint32, depth int) (string, error) {
	id, found, name := t.btf.skip(id)
	switch found.kind {
	case kindArray:
		if depth > deepest {
			return "", fmt.Errorf("type %d is nested deeper than %d levels", id, deepest)
		}
		element, err := t.expression(found.data[0], depth+1)
		return fmt.Sprintf("[%d]%s", found.data[2], element), err
	case kindInt:
		return integer(found), nil
	case kindPtr:
		return "uint64", nil
	case kindFloat:
		if found.size == 4 || found.size == 8 {
			return fmt.Sprint("float", 8*found.size), nil
		}
	case kindEnum, kindEnum64:
		if name == "" {
			return integer(found), nil
		}
		return t.name(id, name), nil
	case kindStruct, kindUnion:
		if name == "" {
			return t.composite(id, found, depth)
		}
		return t.name(id, name), nil
	}
	return fmt.Sprintf("[%d]byte", t.btf.size(id)), nil
}

func integer(found *btfType) string {
	isInt := found.kind == kindInt
	isSigned := found.flag
	if isInt {
		isSigned = found.data[0]>>24&1 != 0
	}
	switch {
	case isInt && found.data[0]>>24&4 != 0 && found.size == 1:
		return "bool"
	case found.size > 8 || found.size&(found.size-1) != 0:
		return fmt.Sprintf("[%d]byte", found.size)
	case isSigned:
		return fmt.Sprint("int", 8*found.size)
	}
	return fmt.Sprint("uint", 8*found.size)
}

// fields writes the fields of a struct, each at its offset.
type fields struct {
	text  strings.Builder
	taken map[string]bool
	end   uint64
}

func (f *fields) pad(offset uint64) {
	if offset > f.end {
		fmt.Fprintf(&f.text, "_ [%d]byte\n", offset-f.end)
		f.end = offset
	}
}

func (f *fields) add(name, expression string, offset, size uint64) {
	if offset < f.end { // an alias of the previous variable
		return
	}
	f.pad(offset)
	fmt.Fprintf(&f.text, "%s %s\n", unique(f.taken, camel(name)), expression)
	f.end = offset + size
}

func (f *fields) finish(size uint64) string {
	f.pad(size)
	return "struct {\n" + f.text.String() + "}"
}

// composite returns a struct. A union becomes a struct with its first member, because Go has no
// unions. Bit-fields become padding.
func (t *types) composite(id uint32, found *btfType, depth int) (string, error) {
	f := fields{taken: map[string]bool{}}
	if err := t.members(&f, id, found, 0, depth); err != nil {
		return "", err
	}
	return f.finish(uint64(found.size)), nil
}

// members adds the members of a struct that begins at base. Members of a member without a name are
// members of the struct, as in C.
func (t *types) members(f *fields, id uint32, found *btfType, base uint64, depth int) error {
	if depth > deepest {
		return fmt.Errorf("type %d is nested deeper than %d levels", id, deepest)
	}
	for i := 0; i < len(found.data)/3; i++ {
		member := found.element(i, 3)
		name, bit, bits := t.btf.text(member[0]), member[2], uint32(0)
		if found.flag {
			bit, bits = bit&0xffffff, bit>>24
		}
		if bits != 0 || bit%8 != 0 {
			continue
		}
		offset := base + uint64(bit/8)
		inner, definition, _ := t.btf.skip(member[1])
		if name == "" && (definition.kind == kindStruct || definition.kind == kindUnion) {
			if err := t.members(f, inner, definition, offset, depth+1); err != nil {
				return err
			}
		} else {
			expression, err := t.expression(member[1], depth+1)
			if err != nil {
				return err
			}
			f.add(name, expression, offset, t.btf.size(member[1]))
		}
		if found.kind == kindUnion {
			break
		}
	}
	return nil
}

// section declares a struct with the variables of a section.
func (t *types) section(s dataSection) error {
	f := fields{taken: map[string]bool{}}
	sort.SliceStable(s.variables, func(i, j int) bool { return s.variables[i].offset < s.variables[j].offset })
	for _, v := range s.variables {
		expression, err := t.expression(v.typ, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		f.add(v.name, expression, uint64(v.offset), uint64(v.size))
	}
	name := t.reserve(t.stem + camel(s.name))
	fmt.Fprintf(&t.text, "// %s has the variables of %s.\ntype %s %s\n\n", name, s.name, name, f.finish(uint64(s.size)))
	return nil
}

// declarations returns the declarations of all named types, and of the types that they contain.
func (t *types) declarations() (string, error) {
	for len(t.wanted) > 0 {
		id := t.wanted[0]
		t.wanted = t.wanted[1:]
		found := t.btf.get(id)
		if found.kind != kindStruct && found.kind != kindUnion {
			t.enum(found, t.names[id])
			continue
		}
		expression, err := t.composite(id, found, 0)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&t.text, "type %s %s\n\n", t.names[id], expression)
	}
	return t.text.String(), nil
}

func (t *types) enum(found *btfType, name string) {
	fmt.Fprintf(&t.text, "type %s %s\n\nconst (\n", name, integer(found))
	width := 2
	if found.kind == kindEnum64 {
		width = 3
	}
	for i := 0; i < len(found.data)/width; i++ {
		enumerator := found.element(i, width)
		value := int64(int32(enumerator[1]))
		if width == 3 {
			value = int64(uint64(enumerator[2])<<32 | uint64(enumerator[1]))
		}
		text := fmt.Sprint(value)
		if !found.flag { // unsigned
			text = fmt.Sprint(uint64(value) & (1<<(8*found.size-1)<<1 - 1))
		}
		constant := unique(t.taken, name+camel(t.btf.text(enumerator[0])))
		fmt.Fprintf(&t.text, "%s %s = %s\n", constant, name, text)
	}
	t.text.WriteString(")\n\n")
}
