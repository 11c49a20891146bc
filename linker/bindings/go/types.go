package main

import (
	"fmt"
	"go/token"
	"strings"
	"unicode"

	"github.com/cilium/ebpf/btf"
)

// types writes Go declarations. Types have the layout of C if encoding/binary or cilium/ebpf reads or
// writes them: padding is explicit, as fields `_`.
//
// GoFormatter writes them, after convert has replaced what it refuses: pointers, floating-point numbers,
// integers that Go does not have, members without a name.
type types struct {
	formatter btf.GoFormatter
	stem      string // prefix of all names
	taken     map[string]bool
	converted map[btf.Type]btf.Type
	wanted    []btf.Type // named types, in the order of the output
	comments  map[btf.Type]string
}

func newTypes(stem string) *types {
	t := &types{stem: stem, taken: map[string]bool{}, converted: map[btf.Type]btf.Type{},
		comments: map[btf.Type]string{}}
	t.formatter.Names = map[btf.Type]string{}
	t.formatter.EnumIdentifier = func(name, element string) string { return unique(t.taken, name+camel(element)) }
	return t
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

// alias returns the name of the last typedef, which names a type without a name.
func alias(typ btf.Type) string {
	for name := ""; ; {
		switch v := typ.(type) {
		case *btf.Typedef:
			name, typ = v.Name, v.Type
		case *btf.Const:
			typ = v.Type
		case *btf.Volatile:
			typ = v.Type
		case *btf.Restrict:
			typ = v.Type
		default:
			return name
		}
	}
}

// bytesOf returns an array of bytes.
func bytesOf(size uint32) btf.Type {
	return &btf.Array{Type: &btf.Int{Size: 1}, Nelems: size}
}

// convert returns a type that GoFormatter writes, and has declarations declare it if it has a name.
func (t *types) convert(typ btf.Type) btf.Type {
	name := alias(typ)
	typ = btf.UnderlyingType(typ)
	if known, ok := t.converted[typ]; ok {
		return known
	}
	if typ.TypeName() != "" {
		name = typ.TypeName()
	}
	result := typ
	switch v := typ.(type) {
	case *btf.Pointer:
		return &btf.Int{Size: 8}
	case *btf.Int:
		if v.Size > 8 || v.Size&(v.Size-1) != 0 {
			return bytesOf(v.Size)
		}
		return v
	case *btf.Float:
		if v.Size != 4 && v.Size != 8 {
			return bytesOf(v.Size)
		}
		t.formatter.Names[v] = fmt.Sprint("float", 8*v.Size)
		return v
	case *btf.Array:
		return &btf.Array{Type: t.convert(v.Type), Nelems: v.Nelems}
	case *btf.Enum:
		if name == "" {
			return &btf.Int{Size: v.Size, Encoding: btf.Signed}
		}
	case *btf.Struct:
		result = t.composite(v.Size, v.Members)
	case *btf.Union: // Go has none: a struct with the first member
		result = t.composite(v.Size, first(v.Members))
	default:
		return bytesOf(0)
	}
	if name != "" {
		t.formatter.Names[result] = unique(t.taken, t.stem+camel(name))
		t.wanted = append(t.wanted, result)
	}
	t.converted[typ] = result
	return result
}

func first(members []btf.Member) []btf.Member {
	if len(members) > 1 {
		members = members[:1]
	}
	return members
}

// composite returns a struct with the members. Bit-fields become padding.
func (t *types) composite(size uint32, members []btf.Member) *btf.Struct {
	result := &btf.Struct{Size: size}
	t.addMembers(result, map[string]bool{}, members, 0)
	return result
}

// addMembers adds the members of a struct that begins at base. Members of a member without a name are
// members of the struct, as in C.
func (t *types) addMembers(result *btf.Struct, taken map[string]bool, members []btf.Member, base btf.Bits) {
	for _, member := range members {
		offset := base + member.Offset
		switch inner := btf.UnderlyingType(member.Type).(type) {
		case *btf.Struct:
			if member.Name == "" {
				t.addMembers(result, taken, inner.Members, offset)
				continue
			}
		case *btf.Union:
			if member.Name == "" {
				t.addMembers(result, taken, first(inner.Members), offset)
				continue
			}
		}
		if member.BitfieldSize == 0 && offset%8 == 0 {
			name := unique(taken, camel(member.Name))
			result.Members = append(result.Members, btf.Member{Name: name, Type: t.convert(member.Type), Offset: offset})
		}
	}
}

// section declares a struct with the variables of a section.
func (t *types) section(section *btf.Datasec) {
	var members []btf.Member
	end := uint32(0)
	for _, entry := range section.Vars {
		v, ok := entry.Type.(*btf.Var)
		// Names of static variables may not be unique. Two variables in one place are aliases.
		if ok && v.Linkage != btf.StaticVar && entry.Offset >= end {
			members = append(members, btf.Member{Name: v.Name, Type: v.Type, Offset: btf.Bits(8 * entry.Offset)})
			end = entry.Offset + entry.Size
		}
	}
	result := t.composite(section.Size, members)
	name := unique(t.taken, t.stem+camel(section.Name))
	t.formatter.Names[result] = name
	t.wanted = append(t.wanted, result)
	t.comments[result] = fmt.Sprintf("// %s has the variables of %s.\n", name, section.Name)
}

// declarations returns the declarations of all named types.
func (t *types) declarations() (string, error) {
	var text strings.Builder
	for _, typ := range t.wanted {
		declaration, err := t.formatter.TypeDeclaration(t.formatter.Names[typ], typ)
		if err != nil {
			return "", err
		}
		text.WriteString(t.comments[typ] + declaration + "\n\n")
	}
	return text.String(), nil
}
