#include "linker/report/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bpflink {

std::string_view category_of(std::string_view kind) {
  auto is_one_of = [&](auto... kinds) { return ((kind == kinds) || ...); };
  if (is_one_of("program", "function")) return "code";
  if (is_one_of("variable", "string", "unnamed")) return "data";
  if (is_one_of("map")) return "maps";
  if (is_one_of("line records", "source line", "file name")) return "source lines";
  if (is_one_of("access", "access string")) return "CO-RE";
  if (is_one_of("relocations")) return "relocations";
  if (is_one_of("symbol", "symbol name")) return "symbols";
  if (is_one_of("function record", "section contents", "header", "padding")) return "other";
  return "types";
}

std::string describe(const Node& node) {
  constexpr std::array shown = {"program", "map", "struct", "union", "enum", "typedef"};
  bool is_shown = std::ranges::find(shown, node.kind) != shown.end() && !node.name.starts_with('(');
  return is_shown ? fmt::format("{} {}", node.kind, node.name) : node.name;
}

std::string describe_chain(const OutputModel& model, uint32_t node) {
  std::vector<uint32_t> chain;
  for (uint32_t at = node; at != 0; at = model.nodes[at].needed_by) chain.push_back(at);
  std::ranges::reverse(chain);
  constexpr size_t most = 20, gap = most / 2;
  std::string text;
  std::string_view last;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (i == gap && chain.size() > most) {
      text += " -> ...";
      i = chain.size() - gap;
    }
    uint32_t at = chain[i];
    const Node& step = model.nodes[at];
    if (!step.member.empty()) text += " -> " + step.member;
    // The declaration of a function or variable has its name.
    bool is_declaration = step.kind == "function type" || step.kind == "variable type";
    if (std::exchange(last, step.name) == step.name && is_declaration) continue;
    if (!text.empty()) text += " -> ";
    text += text.empty() && !step.root.empty() ? fmt::format("{} {}", step.root, step.name)
                                               : describe(step);
  }
  return text;
}

}  // namespace bpflink
