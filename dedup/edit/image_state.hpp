// The state that the steps of image_btf.cpp share.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bpflink/image_btf.hpp"
#include "dedup/format/function_types.hpp"

namespace bpflink {

/// An input, and the ids of types that are omitted from its deduplication.
struct ImageInput {
  Btf btf;
  std::vector<uint32_t> functions, variables;
  std::vector<uint32_t> tags;  ///< on functions and variables
  std::unordered_set<std::string_view> weak_functions = {};
  std::vector<ImageFunction> code = {};  ///< see ImageDeduplicator::add()
};

struct ImageState {
  const ImageSymbols& symbols;
  const std::vector<ImageInput>& inputs;
  ImageResult& result;
  FunctionTypes& function_types;  ///< of the result

  BtfBuilder& types() const { return result.dedup.types; }
  TypeMap& map(size_t input) const { return result.dedup.type_maps[input]; }
  void omit(std::string_view symbol, ImageOmission reason) const {
    result.omitted.push_back({symbol, reason});
  }
};

/// Adds FUNCs and prototypes for the symbols of functions, and the tags of ImageSymbols.
void add_functions(const ImageState& state);

/// Adds VARs for the symbols of variables, and their DATASEC.
void add_variables(const ImageState& state);

}  // namespace bpflink
