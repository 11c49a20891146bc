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
#include <algorithm>
#include <unordered_map>

#include "dedup/edit/image_state.hpp"

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

  const Prototypes& definitions() const { return strong.first.is_known() ? strong : weak; }
};

class FunctionAdder {
 public:
  explicit FunctionAdder(const ImageState& state) : state_(state) {}

  void run() {
    collect_symbols();
    for (uint32_t input = 0; input < state_.inputs.size(); ++input)
      for (uint32_t id : state_.inputs[input].functions) collect({input, id});
    for (const auto& [candidate, number] : found_) add(candidate, functions_[number]);
    list_omitted();
    add_tags();
  }

 private:
  void collect_symbols() {
    numbers_.reserve(state_.symbols.functions.size());
    functions_.reserve(state_.symbols.functions.size());
    for (std::string_view name : state_.symbols.functions) {
      ++function_of(name).symbol_count;
      // For a clone such as "f.isra.0", find the FUNCs of "f".
      if (size_t dot = name.find('.'); dot != std::string_view::npos)
        function_of(name.substr(0, dot));
    }
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
    uint32_t id = state_.function_types.add(0, prototype.info(), map[prototype.type()], words_);
    ++state_.result.function_count;
    return state_.function_types.add(state_.types().add_string(btf.name(btf.type(chosen.id))),
                                     BtfBuilder::info(BtfKind::Func, BtfLinkage::Static), id);
  }

  void list_omitted() const {
    for (std::string_view name : state_.symbols.functions) {
      const NamedFunction& function = functions_[numbers_.at(name)];
      if (is_ambiguous(function)) state_.omit(name, ImageOmission::SeveralPrototypes);
      if (size_t dot = name.find('.'); dot != std::string_view::npos) {
        const NamedFunction& original = functions_[numbers_.at(name.substr(0, dot))];
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
  std::vector<NamedFunction> functions_;               ///< by number
  std::vector<std::pair<Candidate, uint32_t>> found_;  ///< FUNCs with the numbers of their names
  std::vector<uint32_t> words_;
};

}  // namespace

void add_functions(const ImageState& state) {
  FunctionAdder(state).run();
}

}  // namespace bpflink
