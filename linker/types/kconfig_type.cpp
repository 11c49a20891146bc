#include "linker/types/kconfig_type.hpp"

#include "bpflink/btf_query.hpp"

namespace bpflink {
namespace {

std::optional<KconfigType> integer_type(BtfType type) {
  uint32_t size = type.size();
  if ((type.int_encoding() & btf_int_bool) != 0)
    return size == 1 ? std::optional(KconfigType{KconfigType::Kind::Bool, 1}) : std::nullopt;
  bool is_signed = (type.int_encoding() & btf_int_signed) != 0;
  if (size == 1) return KconfigType{KconfigType::Kind::Char, size, is_signed};
  if (size != 2 && size != 4 && size != 8) return std::nullopt;
  return KconfigType{KconfigType::Kind::Integer, size, is_signed};
}

}  // namespace

std::optional<KconfigType> kconfig_type(const BtfView& types, uint32_t id) {
  id = skip_modifiers(types, id);
  if (id == 0) return std::nullopt;
  BtfType type = types.type(id);
  if (type.kind() == BtfKind::Int) return integer_type(type);
  if (is_enum(type.kind())) {
    if (types.name(type) != "libbpf_tristate") return std::nullopt;
    if (type.kind() == BtfKind::Enum && type.size() != 4) return std::nullopt;
    return KconfigType{KconfigType::Kind::Tristate, type.size()};
  }
  if (type.kind() != BtfKind::Array) return std::nullopt;
  uint32_t element = skip_modifiers(types, type.array_element_type());
  if (type.array_length() == 0 || types.kind(element) != BtfKind::Int) return std::nullopt;
  auto of_element = integer_type(types.type(element));
  if (!of_element || of_element->kind != KconfigType::Kind::Char) return std::nullopt;
  return KconfigType{KconfigType::Kind::Text, type.array_length()};
}

bool is_kconfig_name(std::string_view name, bool is_weak) {
  return name.starts_with("CONFIG_") || name == "LINUX_KERNEL_VERSION" ||
         name == "LINUX_HAS_BPF_COOKIE" || name == "LINUX_HAS_SYSCALL_WRAPPER" ||
         (is_weak && name.starts_with("LINUX_"));
}

}  // namespace bpflink
