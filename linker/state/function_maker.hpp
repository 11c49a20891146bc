// Makes the output's FUNCs that no input has as they should be.
#pragma once

#include <string_view>
#include <unordered_map>

#include "dedup/for_linker.hpp"
#include "linker/state/context.hpp"

namespace bpflink {

class FunctionMaker {
 public:
  explicit FunctionMaker(BtfBuilder& types) : types_(types), function_types_(types) {}

  /// The FUNC of the declaration of a function that is global, or was made local, which is made
  /// anew if the input's could not be kept unchanged. Tells the symbol that the declaration
  /// describes.
  uint32_t of_declaration(const ObjectFile& object, const BtfDeclaration& declaration);

  /// The FUNC of a function of the output that no record describes: one that its object has, or a
  /// static one without parameters. Call this for all functions of an object in a row.
  uint32_t of_function(const OutputFunction& function);

 private:
  uint32_t add(std::string_view name, BtfLinkage linkage, uint32_t prototype);
  uint32_t name_parameters(uint32_t prototype);
  void list_static_functions(const ObjectFile& object);

  BtfBuilder& types_;
  FunctionTypes function_types_;
  const ObjectFile* object_ = nullptr;  ///< whose static functions are listed
  std::unordered_map<std::string_view, uint32_t> static_functions_;  ///< FUNCs by name
};

/// The linkage of a global symbol's FUNC in the output.
BtfLinkage linkage_of(const Symbol& symbol);

}  // namespace bpflink
