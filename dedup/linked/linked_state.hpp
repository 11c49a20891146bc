// The state that the steps in linked.cpp share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bpflink/linked.hpp"
#include "dedup/format/function_types.hpp"

namespace bpflink {

/// An input, and the types of it that the deduplicator is not shown, by id.
struct LinkedInput {
  Btf btf;
  std::vector<uint32_t> functions, variables;
  std::vector<uint32_t> tags;  ///< of these
};

struct LinkedState {
  const LinkedSymbols& symbols;
  const std::vector<LinkedInput>& inputs;
  LinkedResult& result;
  FunctionTypes& function_types;  ///< of the result

  BtfBuilder& types() const { return result.dedup.types; }
  TypeMap& map(size_t input) const { return result.dedup.type_maps[input]; }
  void omit(std::string_view symbol, LinkedOmission reason) const {
    result.omitted.push_back({symbol, reason});
  }
};

/// Adds the FUNCs of functions that are there, and their prototypes; then the tags asked for.
void add_functions(const LinkedState& state);

/// Adds the VARs that the symbols tell of, and their DATASEC.
void add_variables(const LinkedState& state);

}  // namespace bpflink
