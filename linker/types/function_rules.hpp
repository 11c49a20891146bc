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

/// What no verifier accepts of a FUNC. A result of void, which some do, is not a fault.
std::optional<FunctionFault> find_function_fault(const BtfView& types, uint32_t function,
                                                 const TaggedArguments& tagged);

}  // namespace bpflink
