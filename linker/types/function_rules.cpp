#include "linker/types/function_rules.hpp"

#include <fmt/format.h>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "linker/facts/program_contexts.hpp"

namespace bpflink {
namespace {

bool is_number(const BtfView& types, uint32_t id) {
  return types.kind(id) == BtfKind::Int || is_enum(types.kind(id));
}

/// Whether verifiers accept a pointer to that type from any caller. A tag such as that of an arena
/// may say more than the type.
bool is_acceptable_target(const BtfView& types, uint32_t target) {
  if (types.kind(target) == BtfKind::TypeTag) return true;
  uint32_t id = skip_modifiers(types, target);
  return id != 0 &&
         (types.name(types.type(id)) == "bpf_dynptr" || type_size(types, id).has_value());
}

}  // namespace

bool is_arena_pointer(const BtfView& types, uint32_t id) {
  const uint32_t pointer = skip_modifiers(types, id);
  if (types.kind(pointer) != BtfKind::Ptr) return false;
  BtfType target = types.type(types.type(pointer).type());
  return target.kind() == BtfKind::TypeTag && types.name(target) == "arena";
}

TaggedArguments find_tagged_arguments(const ObjectFile& object) {
  TaggedArguments tagged;
  for (uint32_t id : object.tags) {
    BtfType tag = object.btf->type(id);
    if (tag.component_idx() >= 0 && object.btf->name(tag).starts_with("arg:"))
      tagged.emplace(tag.type(), tag.component_idx());
  }
  return tagged;
}

std::optional<FunctionFault> find_function_fault(const BtfView& types, uint32_t function,
                                                 const TaggedArguments& tagged) {
  BtfType prototype = types.type(types.type(function).type());
  const uint32_t result = skip_modifiers(types, prototype.type());
  if (result != 0 && !is_number(types, result) && !is_arena_pointer(types, result))
    return FunctionFault{fmt::format("returns '{}', and verifiers accept only numbers",
                                     print_c_declaration(types, prototype.type(), "")),
                         "return an int"};
  for (uint32_t i = 0; i < prototype.vlen(); ++i) {
    BtfParam parameter = prototype.param(i);
    uint32_t type = skip_modifiers(types, parameter.type);
    bool is_pointer = types.kind(type) == BtfKind::Ptr;
    if (type == 0 || is_number(types, type) || tagged.contains({function, static_cast<int32_t>(i)}))
      continue;
    if (is_pointer && (is_acceptable_target(types, types.type(type).type()) ||
                       section_for_parameter(types, parameter.type)))
      continue;
    std::string text = print_c_declaration(types, parameter.type, types.string(parameter.name_off));
    if (!is_pointer)
      return FunctionFault{
          fmt::format("takes '{}', and verifiers accept only numbers and pointers", text),
          "pass a pointer to it"};
    return FunctionFault{
        fmt::format("takes '{}', and verifiers accept only pointers to what has a size", text),
        "give it a type, or a tag such as __arg_ctx"};
  }
  return std::nullopt;
}

}  // namespace bpflink
