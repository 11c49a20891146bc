// Makes FUNCs for the functions of a linked image.
//
// A compiler writes a FUNC for each function that a unit defines, declares or inlines. gcc before
// 14 does not say which of these it is, nor whether the function is static. The symbol table lists
// the functions that are in the image, but not the unit of each. So only the name connects the two,
// and a name gets a FUNC only if all its definitions have the same types. If they name a parameter
// differently, as a weak function does that leaves it unused, the parameter is called "argN".
//
// A FUNC without parameter names counts as a declaration. It is used only if there is no
// definition. A definition that is weak in its unit is used only if all are. If only one symbol has
// the name, declarations that contradict the definition are ignored: they are for another function,
// or wrong.
//
// If inputs say where the code of functions is (ImageFunction), as DWARF does, the rules are
// pahole's: a name and its clones ("f.isra.0") are one function. It gets a FUNC if they are at one
// address, if no input has doubts about its parameters, and if all prototypes agree as far as names
// of types tell. The FUNC's prototype is that of the code.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dedup/edit/image_state.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// A FUNC of an input.
struct Candidate {
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t input = none;
  uint32_t id = 0;

  bool is_known() const { return input != none; }
};

/// FUNCs of a name.
struct Prototypes {
  Candidate first;
  bool are_several = false;     ///< whether they have different types
  uint64_t disputed_names = 0;  ///< a bit for each parameter that they name differently
};

/// What symbols and FUNCs say about a name.
struct NamedFunction {
  uint32_t symbol_count = 0;
  Prototypes strong, weak, declarations;
  uint32_t id = 0;  ///< of its FUNC in the output

  // Of functions whose inputs say where they are. Symbols of clones count.
  Candidate coded;  ///< the best one so far
  uint64_t address = 0;
  bool is_listed = false, has_several_addresses = false, has_changed_clone = false;
  bool is_at_address = false, is_unused = false;  ///< of `coded`
  bool has_unexpected_register = false, has_other_order = false, differs = false;

  const Prototypes& definitions() const { return strong.first.is_known() ? strong : weak; }
};

class FunctionAdder {
 public:
  explicit FunctionAdder(const ImageState& state) : state_(state) {}

  void run() {
    collect_symbols();
    for (uint32_t input = 0; input < state_.inputs.size(); ++input) {
      if (!state_.inputs[input].code.empty()) {
        for (const ImageFunction& code : state_.inputs[input].code) collect_code(input, code);
        continue;
      }
      for (uint32_t id : state_.inputs[input].functions) collect({input, id});
    }
    for (const auto& [candidate, number] : found_) add(candidate, functions_[number]);
    for (const auto& [candidate, number] : found_code_) add_code(candidate, functions_[number]);
    list_omitted();
    add_tags();
  }

 private:
  void collect_symbols() {
    numbers_.reserve(state_.symbols.functions.size());
    functions_.reserve(state_.symbols.functions.size());
    const std::vector<uint64_t>& addresses = state_.symbols.addresses;
    for (size_t i = 0; i < state_.symbols.functions.size(); ++i) {
      std::string_view name = state_.symbols.functions[i];
      ++function_of(name).symbol_count;
      if (i < addresses.size()) note_address(name, addresses[i]);
      // For a clone such as "f.isra.0", find the FUNCs of "f".
      if (size_t dot = name.find('.'); dot != std::string_view::npos)
        function_of(name.substr(0, dot));
    }
  }

  /// Whether a clone's suffix says one of these. Suffixes may follow each other.
  static bool has_suffix(std::string_view name, std::initializer_list<std::string_view> suffixes) {
    size_t dot = name.find('.');
    return dot != std::string_view::npos &&
           std::ranges::any_of(suffixes, [&](std::string_view suffix) {
             return name.find(suffix, dot) != std::string_view::npos;
           });
  }

  /// Notes the address of a function or clone. A part of a function is none.
  void note_address(std::string_view name, uint64_t address) {
    if (has_suffix(name, {".cold", ".part"})) return;
    NamedFunction& function = function_of(name.substr(0, name.find('.')));
    if (function.is_listed && function.address != 0 && function.address != address)
      function.has_several_addresses = true;
    function.address = address;
    function.is_listed = true;
    function.has_changed_clone |= has_suffix(name, {".constprop", ".isra"});
  }

  NamedFunction& function_of(std::string_view name) {
    auto [at, is_new] = numbers_.try_emplace(name, static_cast<uint32_t>(functions_.size()));
    if (is_new) functions_.emplace_back();
    return functions_[at->second];
  }

  void collect(Candidate candidate) {
    const Btf& btf = state_.inputs[candidate.input].btf;
    BtfType type = btf.type(candidate.id);
    auto at = numbers_.find(btf.name(type));
    if (at == numbers_.end() || type.name_off() == 0) return;
    found_.emplace_back(candidate, at->second);
    NamedFunction& function = functions_[at->second];
    if (is_declaration(candidate))
      note_prototype(candidate, function.declarations);
    else if (state_.inputs[candidate.input].weak_functions.contains(btf.name(type)))
      note_prototype(candidate, function.weak);
    else
      note_prototype(candidate, function.strong);
  }

  void collect_code(uint32_t input, const ImageFunction& code) {
    const Btf& btf = state_.inputs[input].btf;
    auto at = numbers_.find(btf.name(btf.type(code.id)));
    if (at == numbers_.end() || !functions_[at->second].is_listed) return;
    Candidate candidate{input, code.id};
    found_code_.emplace_back(candidate, at->second);
    NamedFunction& function = functions_[at->second];
    function.has_unexpected_register |= code.has_unexpected_register;
    function.has_other_order |= code.has_other_order;
    bool is_at_address = code.address == function.address;
    bool is_unused =
        code.has_unused_parameters &&
        (code.is_changed || (code.address != 0 && is_at_address && function.has_changed_clone));
    bool is_first = !function.coded.is_known();
    if (!is_first) function.differs |= !agree(function.coded, candidate);
    bool is_better =
        is_at_address && (!function.is_at_address || (function.is_unused && !is_unused));
    if (!is_first && !is_better) return;
    function.coded = candidate;
    function.is_at_address = is_at_address;
    function.is_unused = is_unused;
  }

  /// Whether two prototypes agree, as far as the names of their types tell. A const does not count.
  bool agree(Candidate a, Candidate b) const {
    const TypeMap &map_a = state_.map(a.input), &map_b = state_.map(b.input);
    BtfType x = prototype_of(a), y = prototype_of(b);
    if (x.vlen() != y.vlen() || !agree(map_a[x.type()], map_b[y.type()])) return false;
    for (uint32_t i = 0; i < x.vlen(); ++i)
      if (!agree(map_a[x.param(i).type], map_b[y.param(i).type])) return false;
    return true;
  }

  /// The same of two types of the output.
  bool agree(uint32_t a, uint32_t b) const {
    constexpr size_t max_pairs = 4096;  // prototypes may be nested exponentially
    const BtfBuilder& types = state_.types();
    std::vector<std::pair<uint32_t, uint32_t>> pairs{{a, b}};
    for (size_t i = 0; i < pairs.size() && i < max_pairs; ++i) {
      auto [left, right] = pairs[i];
      if (left == right) continue;
      if (left == 0 || right == 0) return false;
      BtfType x = types.type(left), y = types.type(right);
      BtfKind kind_x = kind_without_definition(x), kind_y = kind_without_definition(y);
      if (kind_x != kind_y) {
        if (kind_x == BtfKind::Const)
          pairs.emplace_back(x.type(), right);
        else if (kind_y == BtfKind::Const)
          pairs.emplace_back(left, y.type());
        else
          return false;
        continue;
      }
      switch (kind_class(kind_x)) {
        case KindClass::Pointer:
          pairs.emplace_back(x.type(), y.type());
          break;
        case KindClass::Modifier:
          if (kind_x == BtfKind::Typedef) {
            if (types.name(x) != types.name(y)) return false;
          } else {
            pairs.emplace_back(x.type(), y.type());
          }
          break;
        case KindClass::Array:
          if (x.array_length() != y.array_length()) return false;
          pairs.emplace_back(x.array_element_type(), y.array_element_type());
          break;
        case KindClass::Prototype:
          if (x.vlen() != y.vlen()) return false;
          pairs.emplace_back(x.type(), y.type());
          for (uint32_t p = 0; p < x.vlen(); ++p)
            pairs.emplace_back(x.param(p).type, y.param(p).type);
          break;
        default:
          if (types.name(x) != types.name(y)) return false;
          if (kind_x == BtfKind::Int && (x.size() != y.size() || x.int_data() != y.int_data()))
            return false;
          break;
      }
    }
    return true;
  }

  static BtfKind kind_without_definition(BtfType type) {
    if (type.kind() != BtfKind::Fwd) return type.kind();
    return type.kind_flag() ? BtfKind::Union : BtfKind::Struct;
  }

  /// Why a function whose inputs say where it is gets no FUNC.
  static std::optional<ImageOmission> find_doubt(const NamedFunction& function) {
    if (function.has_several_addresses) return ImageOmission::SeveralAddresses;
    if (function.is_unused) return ImageOmission::UnusedParameters;
    if (function.has_other_order) return ImageOmission::OtherOrder;
    if (function.differs) return ImageOmission::SeveralPrototypes;
    if (function.has_unexpected_register) return ImageOmission::UnexpectedRegister;
    return std::nullopt;
  }

  void add_code(Candidate candidate, NamedFunction& function) {
    if (find_doubt(function)) return;
    if (function.id == 0) function.id = add_func(function.coded, 0);
    if (are_equal(candidate, function.coded))
      state_.map(candidate.input).set(candidate.id, function.id);
  }

  void note_prototype(Candidate candidate, Prototypes& prototypes) const {
    if (!prototypes.first.is_known()) prototypes.first = candidate;
    prototypes.are_several |= !are_equal(prototypes.first, candidate);
    if (!prototypes.are_several)
      prototypes.disputed_names |= find_disputed_names(prototypes.first, candidate);
  }

  BtfType prototype_of(Candidate candidate) const {
    const Btf& btf = state_.inputs[candidate.input].btf;
    return btf.type(btf.type(candidate.id).type());
  }

  bool is_declaration(Candidate candidate) const {
    BtfType type = state_.inputs[candidate.input].btf.type(candidate.id);
    if (type.func_linkage() == BtfLinkage::Extern) return true;
    BtfType prototype = prototype_of(candidate);
    for (uint32_t i = 0; i < prototype.vlen(); ++i)
      if (prototype.param(i).name_off != 0) return false;
    return prototype.vlen() != 0;
  }

  /// Whether two prototypes have the same types. Names of parameters do not count.
  bool are_equal(Candidate a, Candidate b) const {
    const TypeMap &map_a = state_.map(a.input), &map_b = state_.map(b.input);
    BtfType x = prototype_of(a), y = prototype_of(b);
    if (x.vlen() != y.vlen() || map_a[x.type()] != map_b[y.type()]) return false;
    for (uint32_t i = 0; i < x.vlen(); ++i)
      if (map_a[x.param(i).type] != map_b[y.param(i).type]) return false;
    return true;
  }

  /// The parameters that two equal prototypes name differently.
  uint64_t find_disputed_names(Candidate a, Candidate b) const {
    const Btf &btf_a = state_.inputs[a.input].btf, &btf_b = state_.inputs[b.input].btf;
    BtfType x = prototype_of(a), y = prototype_of(b);
    uint64_t disputed = 0;
    for (uint32_t i = 0; i < x.vlen(); ++i)
      if (btf_a.string(x.param(i).name_off) != btf_b.string(y.param(i).name_off))
        disputed |= bit_of(i);
    return disputed;
  }

  /// Parameters from the 64th on share a bit.
  static uint64_t bit_of(uint32_t parameter) { return uint64_t{1} << std::min(parameter, 63U); }

  /// Whether the FUNCs of a name contradict each other.
  bool is_ambiguous(const NamedFunction& function) const {
    const auto& [definition, are_several, names] = function.definitions();
    const Prototypes& declarations = function.declarations;
    if (!definition.is_known()) return declarations.are_several;
    if (are_several) return true;
    if (function.symbol_count == 1 || !declarations.first.is_known()) return false;
    return declarations.are_several || !are_equal(definition, declarations.first);
  }

  void add(Candidate candidate, NamedFunction& function) {
    if (function.symbol_count == 0 || is_ambiguous(function)) return;
    const Prototypes& definitions = function.definitions();
    bool is_defined = definitions.first.is_known();
    Candidate chosen = is_defined ? definitions.first : function.declarations.first;
    if (function.id == 0) function.id = add_func(chosen, definitions.disputed_names);
    if (are_equal(candidate, chosen)) state_.map(candidate.input).set(candidate.id, function.id);
  }

  uint32_t add_func(Candidate chosen, uint64_t disputed_names) {
    const Btf& btf = state_.inputs[chosen.input].btf;
    const TypeMap& map = state_.map(chosen.input);
    BtfType prototype = prototype_of(chosen);
    words_.clear();
    for (uint32_t i = 0; i < prototype.vlen(); ++i) {
      BtfParam param = prototype.param(i);
      std::string_view name = btf.string(param.name_off);
      if ((disputed_names & bit_of(i)) != 0) name = "";
      words_.push_back(state_.types().add_string(name));
      words_.push_back(map[param.type]);
    }
    state_.function_types.name_parameters(words_);
    uint32_t returned = map[prototype.type()];
    mark_arena_pointers(btf.name(btf.type(chosen.id)), returned);
    uint32_t id = state_.function_types.add(0, prototype.info(), returned, words_);
    ++state_.result.function_count;
    return state_.function_types.add(state_.types().add_string(btf.name(btf.type(chosen.id))),
                                     BtfBuilder::info(BtfKind::Func, BtfLinkage::Static), id);
  }

  /// Gives the pointers of a function into arenas their attribute: the one that it returns, and
  /// those of its parameters in `words_`.
  void mark_arena_pointers(std::string_view name, uint32_t& returned) {
    auto found =
        std::ranges::find(state_.symbols.arena_functions, name, &ImageArenaFunction::function);
    if (found == state_.symbols.arena_functions.end()) return;
    if (found->is_result) mark_arena_pointer(returned);
    for (size_t i = 0; i < 2 && 2 * i < words_.size(); ++i)
      if (found->is_parameter[i]) mark_arena_pointer(words_[2 * i + 1]);
  }

  void mark_arena_pointer(uint32_t& pointer) {
    BtfBuilder& types = state_.types();
    if (pointer == 0 || types.type(pointer).kind() != BtfKind::Ptr) return;
    uint32_t& marked = arena_pointers_[pointer];
    if (marked == 0) {
      uint32_t target = types.type(pointer).type();
      target = types.add_type(types.add_string("address_space(1)"),
                              BtfBuilder::info(BtfKind::TypeTag, 0, true), target);
      marked = types.add_type(0, BtfBuilder::info(BtfKind::Ptr), target);
    }
    pointer = marked;
  }

  void list_omitted() const {
    for (const auto& [name, number] : numbers_)
      if (functions_[number].coded.is_known())
        if (auto doubt = find_doubt(functions_[number])) state_.omit(name, *doubt);
    for (std::string_view name : state_.symbols.functions) {
      const NamedFunction& function = functions_[numbers_.at(name)];
      if (is_ambiguous(function)) state_.omit(name, ImageOmission::SeveralPrototypes);
      if (size_t dot = name.find('.'); dot != std::string_view::npos) {
        const NamedFunction& original = functions_[numbers_.at(name.substr(0, dot))];
        if (original.coded.is_known()) continue;
        bool is_known =
            original.definitions().first.is_known() || original.declarations.first.is_known();
        if (is_known && original.symbol_count == 0) state_.omit(name, ImageOmission::Clone);
      }
    }
  }

  void add_tags() {
    for (const ImageTag& tag : state_.symbols.tags) {
      auto at = numbers_.find(tag.function);
      uint32_t id = at == numbers_.end() ? 0 : functions_[at->second].id;
      if (id == 0) {
        state_.omit(tag.function, ImageOmission::TagWithoutFunction);
        continue;
      }
      uint32_t whole[] = {static_cast<uint32_t>(-1)};
      state_.function_types.add(state_.types().add_string(tag.text),
                                BtfBuilder::info(BtfKind::DeclTag), id, whole);
    }
  }

  const ImageState& state_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::vector<NamedFunction> functions_;  ///< by number
  /// FUNCs with the numbers of their names; those of which more is known.
  std::vector<std::pair<Candidate, uint32_t>> found_, found_code_;
  std::vector<uint32_t> words_;
  std::unordered_map<uint32_t, uint32_t> arena_pointers_;  ///< those with the attribute
};

}  // namespace

void add_functions(const ImageState& state) {
  FunctionAdder(state).run();
}

}  // namespace bpflink
