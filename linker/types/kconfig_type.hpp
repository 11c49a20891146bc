// Externs in .kconfig, which libbpf fills in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The kind of values that a variable accepts.
struct KconfigType {
  enum class Kind : uint8_t { Bool, Char, Integer, Tristate, Text };
  Kind kind = Kind::Integer;
  uint32_t size = 0;  ///< bytes of a number
  bool is_signed = false;
};

/// The kind of values for a type; nothing if libbpf does not fill in such variables.
std::optional<KconfigType> kconfig_type(const BtfView& types, uint32_t id);

/// Whether libbpf knows what to write into a variable of that name. It leaves a weak one at 0 that
/// begins with LINUX_.
bool is_kconfig_name(std::string_view name, bool is_weak);

}  // namespace bpflink
