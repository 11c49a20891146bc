// What verifiers demand of the type of a global function, which is all that they check calls by.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// Ids of FUNCs, and their parameters that have a tag such as "arg:trusted".
using TaggedArguments = std::set<std::pair<uint32_t, int32_t>>;
TaggedArguments find_tagged_arguments(const ObjectFile& object);

/// What verifiers do not accept of a function, as the rest of a sentence about it, and a remedy.
struct FunctionFault {
  std::string what, advice;
};

/// Whether a type is a pointer into an arena, which has a tag. From Linux 7.2 on, verifiers accept
/// it as a result.
bool is_arena_pointer(const BtfView& types, uint32_t id);

/// What no verifier accepts of a FUNC. Results that some do, void and pointers into an arena, are
/// not a fault.
std::optional<FunctionFault> find_function_fault(const BtfView& types, uint32_t function,
                                                 const TaggedArguments& tagged);

}  // namespace bpflink
