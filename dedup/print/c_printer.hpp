// The printer of C declarations and definitions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The value of the i-th enumerator of an ENUM or ENUM64, as a number of C with its sign.
std::string enumerator_value(BtfType type, uint32_t i);

class CPrinter {
 public:
  explicit CPrinter(const BtfView& btf) : btf_(btf) {}

  std::string declaration(uint32_t id, std::string_view name, int depth = 0);
  std::string definition(uint32_t id);

 private:
  struct Declarator {
    std::string text;
    std::string qualifiers;   ///< of the type that comes next
    bool is_pointer = false;  ///< the outermost wrapping so far is a pointer's
  };

  void wrap_pointer(Declarator& d);
  void wrap_suffix(Declarator& d, const std::string& suffix);
  std::string parameters(BtfType proto, int depth);
  std::string base_type(uint32_t id, int depth);
  std::string tagged(std::string_view keyword, uint32_t id, const std::string& body) const;
  std::string members(BtfType type, int depth);
  std::string enumerators(BtfType type, int depth) const;
  std::string body(BtfType type, int depth);

  std::string name(uint32_t id) const;

  BtfView btf_;
  bool is_too_long() const;

  size_t work_ = 0;  ///< references followed, and bytes of all declarations, inner ones again
};

}  // namespace bpflink
