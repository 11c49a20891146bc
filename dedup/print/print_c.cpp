// Prints one type as C, for readers.
#include "bpflink/print.hpp"
#include "dedup/print/c_variable.hpp"
#include "dedup/print/c_writer.hpp"

namespace bpflink {

namespace {

/// How the declaration of a variable or function begins.
std::string_view storage_class(BtfLinkage linkage) {
  return linkage == BtfLinkage::Static ? "static " : linkage == BtfLinkage::Extern ? "extern " : "";
}

void define(CWriter& writer, const CTypes& types, uint32_t id) {
  BtfType type = types.btf.type(id);
  BtfKind kind = type.kind();
  if (is_composite(kind)) return writer.write_record(id);
  if (is_enum(kind))
    return type.vlen() == 0 && !types.is_inline(id) ? writer.write_tag(id) : writer.write_enum(id);
  if (kind == BtfKind::Typedef) writer.write("typedef ");
  if (kind == BtfKind::Var) writer.write(storage_class(type.var_linkage()));
  if (kind == BtfKind::Func) writer.write(storage_class(type.func_linkage()));
  bool has_name = kind == BtfKind::Typedef || kind == BtfKind::Var || kind == BtfKind::Func;
  has_name ? writer.declare(type.type(), types.name(id)) : writer.declare(id, {});
}

}  // namespace

std::string print_c_declaration(const BtfView& btf, uint32_t id, std::string_view name) {
  CTypes types(btf);
  CWriter writer(types, policy_for_readers);
  BtfKind kind = btf.kind(id);
  if (kind != BtfKind::Var && kind != BtfKind::Func)
    writer.declare(id, name);
  else
    writer.declare(btf.type(id).type(), name.empty() ? types.name(id) : std::string(name));
  return writer.text();
}

std::string print_c_variable(const BtfView& btf, uint32_t id, std::string_view name) {
  CTypes types(btf);
  CWriter writer(types, policy_for_variables);
  writer.declare(id, name);
  return writer.text();
}

std::string print_c_definition(const BtfView& btf, uint32_t id) {
  CTypes types(btf);
  CWriter writer(types, policy_for_readers);
  define(writer, types, id);
  writer.write(";");
  return writer.text();
}

}  // namespace bpflink
