// Pass: make the VARs and DATASECs of the output.
//
// Each output section with variables gets one DATASEC. It lists every variable once, by ascending
// offset, with its symbol's offset and size after layout. An extern that stays undefined is listed
// in the DATASEC that its object listed it in (.ksyms, .kconfig, .maps in a partial link), even if
// the output has no section of that name. Tags of variables and of extern functions move to the
// winner.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/state/context.hpp"
#include "linker/state/function_maker.hpp"

namespace bpflink {
namespace {

struct DatasecEntry {
  uint64_t offset;
  uint32_t size;
  uint32_t id;  ///< of the VAR or FUNC in the output
  const ObjectFile* file;
};

class DatasecBuilder {
 public:
  explicit DatasecBuilder(Context& context) : context_(context), btf_(*context.btf) {}

  void run() {
    for (auto& section : context_.sections) section_of_name_[section->name] = section.get();
    for (auto& object : context_.objects)
      for (const BtfDeclaration& declaration : object->declarations) declare(*object, declaration);
    for (auto& object : context_.objects)
      if (object->btf) add_tags(*object);
    // Externs all have offset 0. Order them by id, so that linking the output again keeps the
    // order.
    auto order = [](const DatasecEntry& entry) { return std::pair(entry.offset, entry.id); };
    for (auto& [name, variables] : variables_)
      if (!std::ranges::is_sorted(variables, {}, order)) std::ranges::sort(variables, {}, order);
    std::ranges::sort(order_, {}, [&](auto name) { return variables_.at(name).front().id; });
    for (auto& section : context_.sections) add_datasec(section->name, section->size);
    for (std::string_view name : order_)
      if (!section_of_name_.contains(name)) add_datasec(name, 0);
  }

 private:
  void declare(ObjectFile& object, const BtfDeclaration& declaration) {
    BtfType type = declaration.type();
    bool is_func = declaration.is_func();
    Symbol* symbol = declaration.symbol;
    if (!symbol) {
      if (!is_func) declare_static(object, declaration);
      return;
    }
    if (!is_func && lives_on_as_local(object, declaration))
      return declare_local(object, declaration);
    if (!describes_symbol(object, declaration) || !symbol->in_output) return;
    if (!is_func) {
      uint32_t id = object.type_map[type.type()];
      symbol->output_btf_id = add_var(object, type, linkage_of(*symbol), id);
      object.type_map.set(declaration.type_id, symbol->output_btf_id);
    }
    if (symbol->is_defined) {
      if (!is_func) list_definition(*symbol, declaration.size);
    } else if (!declaration.datasec.empty() && declaration.linkage() == BtfLinkage::Extern) {
      // bpf-gcc lists externs in .bss, where they are not.
      list(declaration.datasec, {0, declaration.size, symbol->output_btf_id, &object});
    }
  }

  /// The type of the part of a type that has `size` bytes, if all such members and elements, of
  /// members and elements as well, have one type. Nothing if that is ambiguous.
  std::optional<uint32_t> find_part(uint32_t id, uint32_t size) const {
    constexpr size_t max_visits = 1 << 10;
    std::optional<uint32_t> part;
    std::vector<uint32_t> pending = {id};
    for (size_t visited = 0; !pending.empty(); ++visited) {
      uint32_t next = pending.back();
      pending.pop_back();
      auto next_size = type_size(btf_, next);
      if (visited > max_visits || (next_size == size && part && *part != next)) return std::nullopt;
      if (next_size == size) part = next;
      if (!next_size || *next_size <= size) continue;
      BtfType type = btf_.type(skip_modifiers(btf_, next));
      if (type.kind() == BtfKind::Array) pending.push_back(type.array_element_type());
      if (is_composite(type.kind()) && type.vlen() > max_visits) return std::nullopt;
      for (uint32_t i = 0; is_composite(type.kind()) && i < type.vlen(); ++i)
        pending.push_back(type.member(i).type);
    }
    return part;
  }

  /// The type of a static variable. Compilers split arrays and structs into variables for their
  /// parts, `table.0`, and give each the type of the whole. The kernel rejects all types of such an
  /// object. Nothing if the part's type cannot be found.
  std::optional<uint32_t> type_of_static(const ObjectFile& object,
                                         const BtfDeclaration& declaration) {
    uint32_t id = object.type_map[declaration.type().type()];
    std::string_view name = object.btf->name(declaration.type());
    bool is_part = name.find('.') != name.npos && name.back() >= '0' && name.back() <= '9';
    auto size = is_part ? type_size(btf_, id) : std::nullopt;
    if (declaration.size == 0 || !size || *size <= declaration.size) return id;
    constexpr uint32_t max_parts = 1 << 10;  // each may take a long walk through types
    return ++parts_ > max_parts ? std::nullopt : find_part(id, declaration.size);
  }

  void declare_static(ObjectFile& object, const BtfDeclaration& declaration) {
    const InputSection* section = object.find_linked_section(declaration.datasec);
    if (!section || section->same_as) return;
    auto place = place_of(*section, declaration.offset);
    if (!place) return;
    // User space does not see a variable without a VAR, which loads.
    if (auto of_part = type_of_static(object, declaration))
      add_static(object, declaration, *place, *of_part);
  }

  /// A losing definition in a section that stays whole.
  void declare_local(ObjectFile& object, const BtfDeclaration& declaration) {
    const InputSymbol& input = object.symbols[declaration.symbol_index];
    if (!input.is_in_section()) return;
    if (auto place = place_of(object.sections[input.section], input.value))
      add_static(object, declaration, *place, object.type_map[declaration.type().type()]);
  }

  void add_static(ObjectFile& object, const BtfDeclaration& declaration, OutputPlace place,
                  uint32_t type) {
    uint32_t id = add_var(object, declaration.type(), BtfLinkage::Static, type);
    object.type_map.set(declaration.type_id, id);
    list(place.section->name, {place.offset, declaration.size, id, &object});
  }

  void list_definition(const Symbol& symbol, uint32_t declared_size) {
    const InputSymbol& input = symbol.input();
    if (!input.is_in_section()) return;
    const InputSection& section = symbol.file->sections[input.section];
    auto place = place_of(section, input.value);
    if (!place || section.same_as) return;
    uint32_t size = input.size != 0 ? static_cast<uint32_t>(input.size) : declared_size;
    list(place->section->name, {place->offset, size, symbol.output_btf_id, symbol.file});
  }

  uint32_t add_var(const ObjectFile& object, BtfType type, BtfLinkage linkage, uint32_t id) {
    uint32_t words[] = {std::to_underlying(linkage)};
    return btf_.add_type(btf_.add_string(object.btf->name(type)), BtfBuilder::info(BtfKind::Var),
                         id, words);
  }

  void list(std::string_view datasec, DatasecEntry variable) {
    auto [entry, is_new] = variables_.try_emplace(datasec);
    if (is_new) order_.push_back(datasec);
    entry->second.push_back(variable);
  }

  void add_datasec(std::string_view name, uint64_t size) {
    auto found = variables_.find(name);
    if (found == variables_.end()) return;
    auto& variables = found->second;
    if (section_of_name_.contains(name)) check_extents(name, size, variables);
    std::vector<uint32_t> words;
    words.reserve(3 * variables.size());
    for (const DatasecEntry& variable : variables)
      words.insert(words.end(),
                   {variable.id, static_cast<uint32_t>(variable.offset), variable.size});
    btf_.add_type(btf_.add_string(name),
                  BtfBuilder::info(BtfKind::Datasec, static_cast<uint32_t>(variables.size())),
                  static_cast<uint32_t>(size), words);
  }

  /// The kernel rejects variables that overlap or exceed their section. Only here do symbols and
  /// the offsets of static variables meet, so only here can this be checked.
  void check_extents(std::string_view name, uint64_t size,
                     const std::vector<DatasecEntry>& variables) {
    uint64_t end = 0;
    for (const DatasecEntry& variable : variables) {
      BtfType type = btf_.type(variable.id);
      if (type.kind() == BtfKind::Func || type.var_linkage() == BtfLinkage::Extern) continue;
      std::string_view fault = variable.offset < end ? "overlaps the variable before it"
                               : variable.offset + variable.size > size
                                   ? "extends beyond the section"
                                   : "";
      if (!fault.empty())
        context_.diagnostics.error(fmt::format("{}: variable '{}' at {}+{:#x} with {:#x} bytes {}",
                                               variable.file->name, btf_.name(type), name,
                                               variable.offset, variable.size, fault));
      end = variable.offset + variable.size;
    }
  }

  /// Adds the tags that merge_btf() omitted because their target did not exist yet or belongs to
  /// another object.
  void add_tags(const ObjectFile& object) {
    const Btf& btf = *object.btf;
    for (uint32_t id : object.tags) {
      if (object.type_map[id] != 0) continue;
      BtfType type = btf.type(id);
      uint32_t target = find_tagged(object, type.type());
      if (target == 0) continue;
      uint32_t words[] = {static_cast<uint32_t>(type.component_idx())};
      tags_.add(btf_.add_string(btf.name(type)),
                BtfBuilder::info(BtfKind::DeclTag, type.vlen(), type.kind_flag()), target, words);
    }
  }

  /// The output id of a VAR or FUNC that has a tag; 0 for a losing definition, whose tags are
  /// dropped with it.
  static uint32_t find_tagged(const ObjectFile& object, uint32_t id) {
    const BtfDeclaration* found = object.find_declaration(id);
    if (!found) return 0;
    if (describes_symbol(object, *found) || lives_on_as_local(object, *found))
      return object.type_map[id];
    bool is_extern = !object.symbols[found->symbol_index].is_defined();
    return is_extern ? found->symbol->output_btf_id : 0;
  }

  Context& context_;
  BtfBuilder& btf_;
  std::unordered_map<std::string_view, OutputSection*> section_of_name_;
  std::unordered_map<std::string_view, std::vector<DatasecEntry>> variables_;
  std::vector<std::string_view> order_;

  uint32_t parts_ = 0;  ///< static variables examined as parts
  FunctionTypes tags_{btf_};
};

}  // namespace

void build_datasecs(Context& context) {
  DatasecBuilder(context).run();
}

}  // namespace bpflink
