// Makes FUNCs and VARs of a unit's functions and variables.
//
// A function may have several entries: one that declares it, one with its source, for all places
// where it is inlined, and one with its code, which refers to the others (DW_AT_abstract_origin,
// DW_AT_specification) and only says what is new. Parameters likewise.
//
// Whether a function can be traced by its prototype depends on where its parameters are when it is
// entered: the compiler may drop some or pass them otherwise. DWARF does not say so; the places of
// parameters tell. The rules are pahole's, which kernels are built with.
#include <algorithm>
#include <bit>

#include "dedup/dwarf/constants.hpp"
#include "dedup/dwarf/unit_types.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

constexpr uint64_t DW_CC_nocall = 3;

/// The one of `all`, in order of entries, that is at an entry, or null.
template <class Element>
const Element* find_entry(const std::vector<Element>& all, uint32_t entry) {
  auto found = std::ranges::lower_bound(all, entry, {}, &Element::entry);
  return found != all.end() && found->entry == entry ? &*found : nullptr;
}

}  // namespace

bool UnitTypes::is_wanted(DwarfValue name,
                          const std::unordered_set<std::string_view>* names) const {
  return names != nullptr && names->contains(dwarf_text(name, unit_));
}

void UnitTypes::begin_function(OpenEntry& open) {
  using enum DwarfSlot;
  DwarfValue name = entry_[Name];
  if (entry_.has(Name) && !is_wanted(name, wanted_.functions)) return;
  open.function = static_cast<uint32_t>(functions_.size());
  functions_.push_back(
      {.entry = open.entry,
       .name = text_of(Name),
       .type = reference(Type),
       .origin = reference(entry_.has(AbstractOrigin) ? AbstractOrigin : Specification),
       .unit = static_cast<uint32_t>(units_.size() - 1),
       .first_parameter = static_cast<uint32_t>(parameters_.size()),
       .address = read_code_address(unit_, entry_[LowPc]),
       .is_declaration = constant(Declaration) != 0,
       .is_inlined = constant(Inline) != 0,
       .is_changed = constant(CallingConvention) == DW_CC_nocall});
}

void UnitTypes::add_parameter(OpenEntry& parent, uint32_t at) {
  using enum DwarfSlot;
  if (parent.function == no_function) return;
  Function& function = functions_[parent.function];
  if (function.parameters == 0)
    function.first_parameter = static_cast<uint32_t>(parameters_.size());
  // No compiler puts other functions between parameters.
  if (function.first_parameter + function.parameters != parameters_.size() ||
      function.parameters == max_parts) {
    function.is_declaration = true;
    return;
  }
  parameters_.push_back({.entry = at,
                         .name = text_of(Name),
                         .type = reference(Type),
                         .origin = reference(AbstractOrigin),
                         .index = function.parameters++,
                         .location = entry_[Location],
                         .has_location = entry_.has(Location),
                         .has_constant = entry_.has(ConstValue)});
}

void UnitTypes::add_variable(uint32_t at) {
  using enum DwarfSlot;
  bool is_completed = entry_.has(Specification);
  if ((!is_completed && !is_wanted(entry_[Name], wanted_.variables)) || entry_.has(Artificial))
    return;
  DwarfAddress address = read_variable_address(unit_, entry_[Location]);
  variables_.push_back({.entry = at,
                        .name = text_of(Name),
                        .type = reference(Type),
                        .origin = reference(Specification),
                        .is_defined = address.is_known,
                        .is_external = entry_.has(External)});
}

void UnitTypes::write_variables() {
  for (const Variable& variable : variables_) {
    const Variable* named = &variable;
    if (variable.origin != 0) named = find_entry(variables_, variable.origin);
    if (!variable.is_defined || named == nullptr || named->name == 0) continue;
    uint32_t type = resolve(named->type);
    if (type == 0) continue;
    auto linkage =
        static_cast<uint32_t>(named->is_external ? BtfLinkage::Global : BtfLinkage::Static);
    if (!tags_.empty()) objects_[named->entry] = static_cast<uint32_t>(starts_.size());
    words_.insert(words_.end(), {named->name, BtfBuilder::info(BtfKind::Var), type, linkage});
    end_type();
  }
}

/// Gives functions and parameters what they lack and their originals have.
void UnitTypes::complete_functions() {
  for (Function& function : functions_) {
    if (function.origin == 0) continue;
    const Function* origin = find_entry(functions_, function.origin);
    if (origin == nullptr) {
      if (function.name == 0) function.is_declaration = true;  // not wanted
      continue;
    }
    if (function.name == 0) function.name = origin->name;
    if (function.type == 0) function.type = origin->type;
    if (!function.is_inlined) function.is_changed |= origin->is_changed;
  }
  for (Parameter& parameter : parameters_) {
    if (parameter.type != 0 || parameter.origin == 0) continue;
    const Parameter* origin = find_entry(parameters_, parameter.origin);
    if (origin == nullptr) continue;
    parameter.name = origin->name;
    parameter.type = origin->type;
    parameter.is_moved = parameter.index != origin->index;
  }
}

void UnitTypes::write_functions() {
  complete_functions();
  for (const Function& function : functions_)
    if (!function.is_declaration && function.name != 0) write_function(function);
}

/// Writes a prototype and a FUNC, unless a parameter has no name.
void UnitTypes::write_function(const Function& function) {
  std::span<Parameter> parameters =
      std::span(parameters_).subspan(function.first_parameter, function.parameters);
  ImageFunction result{.address = function.address,
                       .is_changed = units_[function.unit].is_clang && function.is_changed};
  for (Parameter& parameter : parameters) {
    if (parameter.name == 0) return;
    parameter.type = resolve(parameter.type);
    result.has_other_order |= parameter.is_moved;
  }
  uint32_t count = function.parameters + (function.has_unspecified ? 1 : 0);
  check_parameters(function, parameters, result);
  auto prototype = static_cast<uint32_t>(starts_.size());
  words_.insert(words_.end(),
                {0, BtfBuilder::info(BtfKind::FuncProto, count), resolve(function.type)});
  for (const Parameter& parameter : parameters)
    words_.insert(words_.end(), {parameter.name, parameter.type});
  if (function.has_unspecified) words_.insert(words_.end(), {0, 0});
  end_type();
  result.id = static_cast<uint32_t>(starts_.size());
  if (!tags_.empty()) {
    objects_[function.entry] = result.id;
    if (function.origin != 0) objects_[function.origin] = result.id;
  }
  words_.insert(words_.end(),
                {function.name, BtfBuilder::info(BtfKind::Func, BtfLinkage::Static), prototype});
  end_type();
  written_functions_.push_back(result);
}

/// Compares the registers of parameters with those of the calling convention.
void UnitTypes::check_parameters(const Function& function, std::span<const Parameter> parameters,
                                 ImageFunction& result) const {
  const DwarfCallingConvention& convention = wanted_.convention;
  const Unit& unit = units_[function.unit];
  const uint64_t register_size = std::max<uint64_t>(unit.header.address_size, 1);
  bool is_unexpected = false, has_struct = false;
  size_t next = 0;
  for (const Parameter& parameter : parameters) {
    has_struct |= is_struct(parameter.type);
    // One on the stack leaves open where the next parameters are.
    result.has_unexpected_register |= convention.registers != 0 &&
                                      parameter.index >= convention.registers &&
                                      is_packed(parameter.type);
    result.has_unused_parameters |= !parameter.has_location;
    uint64_t count = 1, size = size_of(stripped(parameter.type, count));
    bool is_large = convention.passes_structs_in_registers && size > register_size;
    bool is_in_memory = size > (convention.passes_structs_in_registers ? 2 : 1) * register_size;
    size_t slots = is_large ? (size + register_size - 1) / register_size : 1;
    bool has_register = next < convention.registers;
    bool has_only_hints = unit.is_clang && !function.is_changed;
    if (has_only_hints && is_in_memory) continue;
    if (parameter.has_location && has_register) {
      DwarfParameterPlace place = read_parameter_place(unit.header, parameter.location, is_large);
      bool is_known =
          place.is_known && place.register_number != DwarfCallingConvention::unknown_register;
      auto expected = std::span(convention.numbers).subspan(next, 1);
      if (has_only_hints)
        expected = std::span(convention.numbers)
                       .subspan(next, std::min(slots, convention.registers - next));
      bool is_checked = expected.front() != DwarfCallingConvention::unknown_register;
      if (!is_known && !has_only_hints)
        result.has_unused_parameters = true;
      else if (is_known && is_checked &&
               std::ranges::find(expected, place.register_number) == expected.end())
        is_unexpected = true;
    } else if (parameter.has_constant && !unit.is_clang) {
      result.has_unused_parameters = true;
    }
    if (has_register) next += is_in_memory && !has_only_hints ? 1 : slots;
  }
  // A struct may take several registers, and then those of others are not known.
  result.has_unexpected_register |= is_unexpected && !has_struct;
}

/// What a type is without names and qualifiers, and an array's elements, by whose number `count` is
/// multiplied; null for void.
const uint32_t* UnitTypes::stripped(uint32_t id, uint64_t& count) const {
  for (size_t i = 0; id != 0 && i < max_chain; ++i) {
    const uint32_t* type = &words_[starts_[id - 1]];
    const BtfKind kind = kind_of(type);
    if (has_size(kind) || kind == BtfKind::Ptr || kind == BtfKind::Fwd) return type;
    if (kind == BtfKind::Array) count *= type[5];
    id = kind == BtfKind::Array ? type[3] : type[2];
  }
  return nullptr;
}

/// The bytes of what stripped() gives.
uint64_t UnitTypes::size_of(const uint32_t* type) const {
  if (type == nullptr || kind_of(type) == BtfKind::Fwd) return 0;
  return kind_of(type) == BtfKind::Ptr ? unit_.address_size : type[2];
}

/// Whether a member or the end of a struct is not where alignment would put it. That of a member
/// which is a struct or union is taken for the largest that its size allows. Like pahole, take no
/// struct with holes or padding for packed. True if there are too many to look at.
bool UnitTypes::is_packed(uint32_t id) const {
  if (id == 0 || kind_of(&words_[starts_[id - 1]]) != BtfKind::Struct) return false;
  BtfType type{std::span<const uint32_t>(words_).subspan(starts_[id - 1])};
  if (type.vlen() > 1024) return true;  // each parameter visits the members
  uint64_t largest = 1, end = 0;
  bool is_misplaced = false;
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    const uint32_t bits = type.member_bitfield_size(i);
    const uint64_t offset = type.member_bit_offset(i);
    if (offset / 8 > end) return false;
    uint64_t count = 1;
    const uint32_t* member = stripped(type.member(i).type, count);
    uint64_t size = size_of(member), alignment = std::max<uint64_t>(size, 1);
    if (member && (kind_of(member) == BtfKind::Struct || kind_of(member) == BtfKind::Union))
      alignment = std::min(alignment & -alignment, unit_.address_size);
    end = std::max(end, (offset + (bits == 0 ? 8 * size * count : bits) + 7) / 8);
    if (bits == 0) is_misplaced |= offset / 8 % alignment != 0;
    largest = std::max(largest, alignment);
  }
  return end >= type.size() && (is_misplaced || type.size() % largest != 0);
}

bool UnitTypes::is_struct(uint32_t id) const {
  for (size_t i = 0; id != 0 && i < max_chain; ++i) {
    const uint32_t* type = &words_[starts_[id - 1]];
    BtfKind kind = kind_of(type);
    if (kind == BtfKind::Struct) return true;
    if (kind != BtfKind::Typedef && kind != BtfKind::Const) return false;
    id = type[2];
  }
  return false;
}

}  // namespace bpflink
