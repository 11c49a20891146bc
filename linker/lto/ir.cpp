#include "linker/lto/ir.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace bpflink::lto {
namespace {

void add_names(std::string_view assembly, std::set<std::string>& names) {
  constexpr std::string_view in_names =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._$";
  std::string_view before, word = "0";
  while (!assembly.empty()) {
    size_t size = std::min(assembly.find_first_not_of(in_names), assembly.size());
    if (size == 0) {
      assembly.remove_prefix(assembly[0] == '\\' ? std::min<size_t>(3, assembly.size()) : 1);
      continue;
    }
    before = std::exchange(word, assembly.substr(0, size));
    assembly.remove_prefix(size);
    std::string_view name = before == "call" ? word : word == "ll" ? before : "0";
    if (!std::isdigit(static_cast<unsigned char>(name[0])) && name[0] != '$') names.emplace(name);
  }
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    auto character = static_cast<unsigned char>(text[i]);
    if (character == '\\' && i + 2 < text.size() && text[i + 1] != '\\') {
      std::from_chars(&text[i + 1], &text[i + 3], character, 16);
      i += 2;
    } else if (character == '\\') {
      ++i;
    }
    result += static_cast<char>(character);
  }
  return result;
}

Value Ir::find(LlvmModule module, std::string_view symbol) const {
  std::string name(symbol);
  if (Value value = llvm.GetNamedFunction(module, name.c_str())) return value;
  if (Value value = llvm.GetNamedGlobal(module, name.c_str())) return value;
  return llvm.GetNamedGlobalAlias(module, name.data(), name.size());
}

std::string Ir::name_of(Value value) const {
  size_t size = 0;
  const char* name = llvm.GetValueName2(value, &size);
  return {name, size};
}

std::string Ir::section_of(Value global) const {
  const char* section = llvm.GetSection(global);
  return section ? section : "";
}

std::string Ir::print(Value value) const {
  return llvm.PrintValueToString(value);
}

std::string Ir::place_of(Value value) const {
  unsigned length = 0, line = llvm.GetDebugLocLine(value);
  const char* file = line != 0 ? llvm.GetDebugLocFilename(value, &length) : nullptr;
  if (!file) return {};
  return fmt::format("{}:{}:{}: ", std::string_view(file, length), line,
                     llvm.GetDebugLocColumn(value));
}

bool Ir::is_local(Value global) const {
  int linkage = llvm.GetLinkage(global);
  return linkage == internal_linkage || linkage == private_linkage;
}

std::string Ir::attribute(Value function, std::string_view name) const {
  Attribute attribute = llvm.GetStringAttributeAtIndex(function, function_index, name.data(),
                                                       static_cast<unsigned>(name.size()));
  if (!attribute) return {};
  unsigned size = 0;
  const char* value = llvm.GetStringAttributeValue(attribute, &size);
  return {value, size};
}

void Ir::make_internal(Value value) const {
  if (llvm.IsAGlobalObject(value)) llvm.SetComdat(value, nullptr);  // no alias
  llvm.SetVisibility(value, default_visibility);
  llvm.SetLinkage(value, internal_linkage);
}

void Ir::copy_properties(Value from, Value to) const {
  int linkage = llvm.GetLinkage(from);
  llvm.SetLinkage(to, linkage == available_externally_linkage ? external_linkage : linkage);
  llvm.SetVisibility(to, llvm.GetVisibility(from));
  llvm.SetSection(to, section_of(from).c_str());
  if (llvm.IsAGlobalVariable(to)) llvm.SetGlobalConstant(to, llvm.IsGlobalConstant(from));
}

Value Ir::add_global(LlvmModule module, const std::string& name, Type type) const {
  return llvm.GetTypeKind(type) == function_type ? llvm.AddFunction(module, name.c_str(), type)
                                                 : llvm.AddGlobal(module, type, name.c_str());
}

std::vector<Value> Ir::operands(Value node) const {
  std::vector<Value> operands(llvm.GetMDNodeNumOperands(node));
  llvm.GetMDNodeOperands(node, operands.data());
  return operands;
}

Value Ir::operand(Value node, size_t index) const {
  std::vector<Value> all = operands(node);
  return index < all.size() ? all[index] : nullptr;
}

std::string_view Ir::text(Value node) const {
  unsigned length = 0;
  const char* text = node ? llvm.GetMDString(node, &length) : nullptr;
  return {text ? text : "", length};
}

std::vector<Value> Ir::named_metadata(LlvmModule module, const char* name) const {
  std::vector<Value> operands(llvm.GetNamedMetadataNumOperands(module, name));
  llvm.GetNamedMetadataOperands(module, name, operands.data());
  return operands;
}

Metadata Ir::description_of(Value global) const {
  constexpr unsigned dbg = 0;
  if (!llvm.IsAGlobalObject(global)) return nullptr;
  size_t count = 0;
  MetadataEntry* entries = llvm.GlobalCopyAllMetadata(global, &count);
  Metadata description = nullptr;
  for (unsigned i = 0; i < count; ++i)
    if (llvm.ValueMetadataEntriesGetKind(entries, i) == dbg)
      description = llvm.ValueMetadataEntriesGetMetadata(entries, i);
  return description;
}

std::set<std::string> Ir::names_in_assembly(
    LlvmModule module, const std::function<void(Value, std::string_view)>& visit) const {
  constexpr int call = 45;
  std::set<std::string> names;
  size_t size = 0;
  const char* text = llvm.GetModuleInlineAsm(module, &size);
  add_names({text, size}, names);
  for_each_function(module, [&](Value f) {
    for_each_instruction(f, [&](Value i) {
      Value callee = llvm.GetInstructionOpcode(i) == call ? llvm.GetCalledValue(i) : nullptr;
      if (!callee || !llvm.IsAInlineAsm(callee)) return;
      const std::string code = print(callee);
      add_names(code, names);
      if (visit) visit(i, code);
    });
  });
  return names;
}

}  // namespace bpflink::lto
