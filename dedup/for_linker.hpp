// The internal interface of dedup/ for linker/. What linker/ uses, and what for:
//
// - hash_bytes(), HashIndex: the linker's symbol table, and names within an object
// - StringTable: .strtab of the output
// - for_each_reference(): which types the live part of an object uses
// - btf_magic, btf_version: the header of .BTF.ext
// - rename_types(), repair_btf(), type_offsets(): the bytes of a blob
// - FunctionTypes: adding FUNCs and prototypes to the output
// - rearrange_types(): removing types that nothing uses after the link
// - parse_without_cycle_check(): reading the types of an object; the deduplicator completes the
//   check
// - run_threads(), choose_workers(): reading inputs in parallel
// - TypeComparison: conflicts between declarations, and between layouts of shared structs
// - select_types(): some of a kernel's types
// - make_c_name(), RepeatedNames, print_c_variable(): names and variables in skeletons
// - count_of(), agree(): counts in messages, and their verbs
// - Graph: the model of the output in reports
// - align_up(): offsets of sections, fragments, variables and members
// - edit_distance(), misspelling_limit(): "did you mean" hints
#pragma once

#include "dedup/align_up.hpp"
#include "dedup/compare/compare.hpp"
#include "dedup/compare/type_text.hpp"
#include "dedup/edit_distance.hpp"
#include "dedup/format/builder.hpp"
#include "dedup/format/function_types.hpp"
#include "dedup/format/hash.hpp"
#include "dedup/format/header.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/patch.hpp"
#include "dedup/format/reader.hpp"
#include "dedup/format/string_table.hpp"
#include "dedup/merge/graph.hpp"
#include "dedup/merge/run_threads.hpp"
#include "dedup/messages.hpp"
#include "dedup/print/c_names.hpp"
#include "dedup/print/c_scalars.hpp"
#include "dedup/print/c_variable.hpp"
#include "dedup/print/select_types.hpp"
