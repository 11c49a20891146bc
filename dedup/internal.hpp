// What linker/ uses of dedup/ that no user of the library needs, and what for:
//
// - hash_bytes(), HashIndex: the linker's symbol table, and names within an object
// - StringTable: .strtab of the output
// - for_each_reference(): which types the live part of an object uses
// - type_section(), forget_types(): the kinds of all types of an input at a glance
// - TypeReader: types that are checked and sorted while an input is read
// - run_threads(), large_from(): reading inputs in parallel
// - enumerator_value(): conflicting enumerators in messages
#pragma once

#include "dedup/classes/hash.hpp"
#include "dedup/classes/large_inputs.hpp"
#include "dedup/classes/run_threads.hpp"
#include "dedup/classes/type_reader.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/string_table.hpp"
#include "dedup/format/type_section.hpp"
#include "dedup/print/c_printer.hpp"
