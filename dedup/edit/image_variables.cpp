// Makes VARs for per-CPU variables, and for others if they are wanted, and the DATASECs of their
// sections.
//
// As with functions, only the name connects a symbol with the units' VARs. If these have several
// types, the size of the symbol decides: an array declared without a length, for example, has
// another size.
#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/edit/image_state.hpp"

namespace bpflink {
namespace {

/// A type that a variable may have if its symbol has this size.
struct PossibleType {
  uint32_t name;  ///< the number of the variable's name
  uint64_t size;  ///< bytes
  uint32_t type;  ///< in the output

  auto operator<=>(const PossibleType&) const = default;
};

class VariableAdder {
 public:
  explicit VariableAdder(const ImageState& state) : state_(state) {}

  void run() {
    for (const ImageVariable& variable : state_.symbols.variables) {
      if (variable.size == 0) continue;
      auto [name, is_new] = names_.try_emplace(variable.name, names_.size());
      if (is_new) variables_.push_back({});
      ++variables_[name->second].symbols;
    }
    for (size_t input = 0; input < state_.inputs.size(); ++input)
      for (uint32_t id : state_.inputs[input].variables) collect(input, id);
    std::ranges::sort(types_);
    types_.erase(std::ranges::unique(types_).begin(), types_.end());
    add_all();
    for (const auto& [input, id, name] : found_)
      if (variables_[name].count == 1) state_.map(input).set(id, variables_[name].id);
  }

 private:
  /// The VARs of a name.
  struct NamedVariable {
    bool is_known = false;   ///< an input has one
    bool is_global = false;  ///< one of an input is
    uint32_t symbols = 0;
    uint32_t count = 0;  ///< in the output
    uint32_t id = 0;     ///< of the last in the output
  };

  void collect(size_t input, uint32_t id) {
    const Btf& btf = state_.inputs[input].btf;
    BtfType type = btf.type(id);
    auto name = names_.find(btf.name(type));
    if (name == names_.end()) return;
    variables_[name->second].is_known = true;
    variables_[name->second].is_global |= type.var_linkage() == BtfLinkage::Global;
    found_.emplace_back(input, id, name->second);
    // The size of a pointer depends on the machine; the symbol's size shows it.
    for (uint32_t pointer_size : {4, 8})
      if (auto size = type_size(btf, type.type(), pointer_size))
        types_.push_back({name->second, *size, state_.map(input)[type.type()]});
  }

  /// Adds the variables in order of sections and offsets. If several overlap, the choice does not
  /// depend on the order of symbols.
  void add_all() {
    std::vector<ImageVariable> sorted = state_.symbols.variables;
    std::ranges::sort(sorted, {}, [](const ImageVariable& variable) {
      return std::tuple(variable.section, variable.offset, variable.size, variable.name,
                        variable.is_local);
    });
    uint64_t end = 0;
    std::vector<uint32_t> words;
    std::string_view section;
    auto end_section = [&] {
      if (!words.empty())
        state_.types().add_type(
            state_.types().add_string(section),
            BtfBuilder::info(BtfKind::Datasec, static_cast<uint32_t>(words.size() / 3)),
            static_cast<uint32_t>(end), words);
      words.clear();
      end = 0;
    };
    for (const ImageVariable& variable : sorted) {
      if (variable.section != section) end_section();
      section = variable.section;
      uint32_t type = find_type(variable);
      if (type == 0) continue;
      if (variable.offset < end) {
        state_.omit(variable.name, ImageOmission::Overlap);
        continue;
      }
      end = uint64_t{variable.offset} + variable.size;
      words.insert(words.end(), {add(variable, type), variable.offset, variable.size});
    }
    end_section();
  }

  /// The id of a variable's type in the output, or 0 if it is not known.
  uint32_t find_type(const ImageVariable& variable) {
    auto name = names_.find(variable.name);
    if (name == names_.end() || !variables_[name->second].is_known || variable.size == 0) return 0;
    auto [first, last] = std::ranges::equal_range(
        types_, std::pair<uint32_t, uint64_t>(name->second, variable.size), {},
        [](const PossibleType& type) { return std::pair(type.name, type.size); });
    if (last - first == 1) return first->type;
    state_.omit(variable.name,
                first == last ? ImageOmission::OtherSize : ImageOmission::SeveralTypes);
    return 0;
  }

  /// Link-time optimization makes symbols local that the sources have as global.
  uint32_t add(const ImageVariable& variable, uint32_t type) {
    NamedVariable& named = variables_[names_.at(variable.name)];
    bool is_static = variable.is_local && !(named.is_global && named.symbols == 1);
    uint32_t linkage[] = {std::to_underlying(is_static ? BtfLinkage::Static : BtfLinkage::Global)};
    uint32_t id = state_.types().add_type(state_.types().add_string(variable.name),
                                          BtfBuilder::info(BtfKind::Var), type, linkage);
    named.id = id;
    ++named.count;
    ++state_.result.variable_count;
    return id;
  }

  const ImageState& state_;
  std::unordered_map<std::string_view, uint32_t> names_;  ///< their numbers
  std::vector<NamedVariable> variables_;                  ///< by number
  std::vector<PossibleType> types_;
  std::vector<std::tuple<size_t, uint32_t, uint32_t>> found_;  ///< input, VAR, name
};

}  // namespace

void add_variables(const ImageState& state) {
  VariableAdder(state).run();
}

}  // namespace bpflink
