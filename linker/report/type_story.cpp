#include "linker/report/type_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dedup/internal.hpp"
#include "linker/diagnostics/printable.hpp"

namespace bpflink {
namespace {

struct Word {
  std::string_view word, kind;
};
constexpr Word words[] = {{"struct", "struct"},      {"union", "union"},
                          {"enum", "enum"},          {"typedef", "typedef"},
                          {"func", "function type"}, {"var", "variable type"}};

/// What is asked for: a name, and a kind or "".
struct Wanted {
  std::string_view kind, name;

  explicit Wanted(std::string_view what) : name(what) {
    for (auto [word, word_kind] : words)
      if (what.starts_with(word) && what.substr(word.size()).starts_with(' ')) {
        kind = word_kind;
        name = what.substr(word.size() + 1);
      }
  }

  bool may_be(const Node& node) const {
    if (!kind.empty()) return node.kind == kind;
    constexpr std::array of_c = {"struct", "union", "enum", "typedef", "integer", "float"};
    return std::ranges::find(of_c, node.kind) != of_c.end();
  }
};

}  // namespace

std::string story_line(std::string_view what, std::string_view text) {
  return fmt::format("  {:<13} {}\n", what, printable(text));
}

std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string explain_types(const OutputModel& model, std::string_view what) {
  Wanted wanted(what);
  std::string text;
  for (uint32_t i = 1; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (node.name != wanted.name || !wanted.may_be(node)) continue;
    text += printable(describe(node)) + '\n';
    text += story_line(
        "kept by", node.needed_by == 0 ? "itself: nothing refers to it" : describe_chain(model, i));
    if (node.input != no_node) text += story_line("from", model.inputs[node.input].name);
    text += story_line("bytes", node.brings == node.bytes
                                    ? grouped(node.bytes)
                                    : fmt::format("{}, and {} with what only it needs",
                                                  grouped(node.bytes), grouped(node.brings)));
  }
  return text;
}

std::string find_similar_type(const OutputModel& model, std::string_view what) {
  Wanted wanted(what);
  NearestName similar(wanted.name);
  for (const Node& node : model.nodes)
    if (wanted.may_be(node)) similar.consider(node.name);
  std::string_view name = similar.nearest();
  return name.empty()
             ? ""
             : std::string(what.substr(0, what.size() - wanted.name.size())) + std::string(name);
}

}  // namespace bpflink
