package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// The kinds of types that this program uses, as linux/btf.h numbers them.
const (
	kindInt      = 1
	kindPtr      = 2
	kindArray    = 3
	kindStruct   = 4
	kindUnion    = 5
	kindEnum     = 6
	kindTypedef  = 8
	kindVolatile = 9
	kindConst    = 10
	kindRestrict = 11
	kindVar      = 14
	kindDatasec  = 15
	kindFloat    = 16
	kindTypeTag  = 18
	kindEnum64   = 19
)

// words has, by kind, how many words follow the common three: for the type, and for each element.
var words = map[uint32][2]int{1: {1, 0}, 3: {3, 0}, 4: {0, 3}, 5: {0, 3}, 6: {0, 2}, 13: {0, 2}, 14: {1, 0}, 15: {0, 3},
	17: {1, 0}, 19: {0, 3}}

// btfType is a type, decoded except for the words that depend on its kind.
type btfType struct {
	name string
	kind uint32
	flag bool // kind_flag
	ref  uint32
	size uint32
	data []uint32
}

// element returns the i-th element, of n words each.
func (t *btfType) element(i, n int) []uint32 { return t.data[i*n : (i+1)*n] }

// btf has the types by id; id 0 is void.
type btf struct {
	types   []btfType
	strings []byte
}

func (b *btf) text(offset uint32) string {
	if int64(offset) >= int64(len(b.strings)) {
		return ""
	}
	rest := b.strings[offset:]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

var errCutOff = errors.New("BTF is cut off")

// readBTF reads a section .BTF.
func readBTF(blob []byte, order binary.ByteOrder) (*btf, error) {
	if len(blob) < 24 || order.Uint16(blob) != 0xeb9f {
		return nil, errors.New("no BTF")
	}
	section := func(at int) ([]byte, error) { // its offset and length are at this place of the header
		begin := uint64(order.Uint32(blob[4:])) + uint64(order.Uint32(blob[at:]))
		end := begin + uint64(order.Uint32(blob[at+4:]))
		if end > uint64(len(blob)) {
			return nil, errCutOff
		}
		return blob[begin:end], nil
	}
	types, err := section(8)
	if err != nil {
		return nil, err
	}
	text, err := section(16)
	if err != nil {
		return nil, err
	}
	b := &btf{types: make([]btfType, 1), strings: text}
	for len(types) > 0 {
		if len(types) < 12 {
			return nil, errCutOff
		}
		info, third := order.Uint32(types[4:]), order.Uint32(types[8:])
		t := btfType{name: b.text(order.Uint32(types)), kind: info >> 24 & 0x7f, flag: info>>31 != 0, ref: third, size: third}
		if t.kind == 0 || t.kind > kindEnum64 {
			return nil, fmt.Errorf("type %d is of the unknown kind %d", len(b.types), t.kind)
		}
		count := words[t.kind][0] + words[t.kind][1]*int(info&0xffffff)
		if types = types[12:]; len(types) < 4*count {
			return nil, errCutOff
		}
		for i := 0; i < count; i++ {
			t.data = append(t.data, order.Uint32(types[4*i:]))
		}
		types = types[4*count:]
		b.types = append(b.types, t)
	}
	return b, nil
}

// get returns the type with an id, or void if there is none.
func (b *btf) get(id uint32) *btfType {
	if int64(id) >= int64(len(b.types)) {
		return &b.types[0]
	}
	return &b.types[id]
}

// skip returns the id and the type behind typedefs, qualifiers and tags, and its name. A type without
// a name has that of the last typedef.
func (b *btf) skip(id uint32) (uint32, *btfType, string) {
	alias := ""
	for range b.types { // no chain is longer, unless it is a cycle
		t := b.get(id)
		switch t.kind {
		case kindTypedef:
			alias = t.name
		case kindVolatile, kindConst, kindRestrict, kindTypeTag:
		default:
			if t.name != "" {
				alias = t.name
			}
			return id, t, alias
		}
		id = t.ref
	}
	return 0, &b.types[0], ""
}

// size returns the size of the type in bytes.
func (b *btf) size(id uint32) uint64 {
	count := uint64(1)
	for range b.types {
		_, t, _ := b.skip(id)
		switch t.kind {
		case kindPtr:
			return count * 8
		case kindInt, kindStruct, kindUnion, kindEnum, kindEnum64, kindFloat:
			return count * uint64(t.size)
		case kindArray:
			count *= uint64(t.data[2])
			id = t.data[0]
		default:
			return 0
		}
	}
	return 0
}

// find returns the id of the struct, union, enum or typedef of that name, or 0 if there is none.
func (b *btf) find(name string) uint32 {
	for id := range b.types {
		switch t := &b.types[id]; t.kind {
		case kindStruct, kindUnion, kindEnum, kindEnum64, kindTypedef:
			if t.name == name {
				return uint32(id)
			}
		}
	}
	return 0
}
