#include "linker/report/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bpflink {
namespace {

struct KindCategory {
  std::string_view kind, category;
};

/// Of all kinds but those of types.
constexpr KindCategory kind_categories[] = {{"program", "code"},
                                            {"function", "code"},
                                            {"variable", "data"},
                                            {"string", "data"},
                                            {"unnamed", "data"},
                                            {"map", "maps"},
                                            {"line records", "source lines"},
                                            {"source line", "source lines"},
                                            {"file name", "source lines"},
                                            {"access", "CO-RE"},
                                            {"access string", "CO-RE"},
                                            {"relocations", "relocations"},
                                            {"symbol", "symbols"},
                                            {"symbol name", "symbols"},
                                            {"function record", "other"},
                                            {"section contents", "other"},
                                            {"header", "other"},
                                            {"padding", "other"}};

}  // namespace

std::string_view category_of(std::string_view kind) {
  auto found = std::ranges::find(kind_categories, kind, &KindCategory::kind);
  return found == std::end(kind_categories) ? "types" : found->category;
}

std::string describe(const Node& node) {
  constexpr std::array told = {"program", "map", "struct", "union", "enum", "typedef"};
  bool is_told = std::ranges::find(told, node.kind) != told.end() && !node.name.starts_with('(');
  return is_told ? fmt::format("{} {}", node.kind, node.name) : node.name;
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
    // A function or variable is followed by its declaration.
    bool is_declaration = step.kind == "function type" || step.kind == "variable type";
    if (std::exchange(last, step.name) == step.name && is_declaration) continue;
    if (!text.empty()) text += " -> ";
    text += text.empty() && !step.root.empty() ? fmt::format("{} {}", step.root, step.name)
                                               : describe(step);
  }
  return text;
}

}  // namespace bpflink
