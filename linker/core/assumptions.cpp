// A block that the base walk reaches, but the walk with settings does not, lies in a region whose
// borders are branches that settings decided. Usually a block needs the settings of all borders
// from which the region's code leads to it. But a value may also be constant because a path to its
// join was cut elsewhere. So a walk tests each set of settings alone. If that walk takes branches
// that the walk with all settings does not take, their settings are added to the set.
#include "linker/core/assumptions.hpp"

#include <map>
#include <utility>

namespace bpflink {
namespace {

/// A limit on evaluated instructions, in all walks together: a multiple of the instructions in the
/// code, and a minimum.
constexpr uint64_t work_per_insn = 32, work_at_least = 1u << 20;
/// Limits on the sets tried for one set of border settings, and on the walks for all sets.
constexpr uint32_t max_tries = 4, max_walks = 24;

/// Calls `visit(block, took, settings)` for each successor of a block: whether control went there,
/// and otherwise the settings that prevented it.
template <typename Visit>
void for_each_edge(const CodeBlock& block, const BlockVisit& visit_of_block, Visit visit) {
  if (block.next != no_block) visit(block.next, visit_of_block.took_next, visit_of_block.settings);
  if (block.target != no_block)
    visit(block.target, visit_of_block.took_target, visit_of_block.settings);
}

class Regions {
 public:
  Regions(const CodeGraph& graph, const AssumedWalks& walks)
      : graph_(graph), walks_(walks), borders_(graph.blocks.size()) {}

  /// By block: the settings of the borders that lead to it.
  std::vector<SettingSet> find_borders() {
    index_calls();
    for (uint32_t i = 0; i < graph_.blocks.size(); ++i)
      if (walks_.assumed.reaches(i))
        for_each_edge(graph_.blocks[i], walks_.assumed.blocks[i],
                      [&](uint32_t to, bool took, SettingSet settings) {
                        if (!took) add(to, settings);
                      });
    while (!pending_.empty()) {
      uint32_t block = pending_.back();
      pending_.pop_back();
      spread(block);
    }
    return std::move(borders_);
  }

 private:
  void index_calls() {
    function_of_.resize(graph_.blocks.size());
    calls_.resize(graph_.functions.size());
    for (uint32_t i = 0; i < graph_.functions.size(); ++i) {
      const CodeFunction& function = graph_.functions[i];
      for (uint32_t b = function.first_block; b < function.first_block + function.block_count;
           ++b) {
        function_of_[b] = i;
        const CodeInsn& last = graph_.insns[graph_.blocks[b].end - 1];
        if (last.is_static_call()) calls_[last.reference.index].push_back(b);
      }
    }
    exits_.resize(graph_.functions.size());
  }

  void add(uint32_t block, SettingSet settings) {
    bool is_in_region = walks_.base.reaches(block) && !walks_.assumed.reaches(block);
    if (!is_in_region || (settings & ~borders_[block]) == 0) return;
    borders_[block] |= settings;
    pending_.push_back(block);
  }

  void spread(uint32_t index) {
    const CodeBlock& block = graph_.blocks[index];
    SettingSet settings = borders_[index];
    for_each_edge(block, {}, [&](uint32_t to, bool, SettingSet) { add(to, settings); });
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const CodeReference& reference = graph_.insns[i].reference;
      if (reference.kind != CodeReference::Kind::Call &&
          reference.kind != CodeReference::Kind::Callback)
        continue;
      const CodeFunction& callee = graph_.functions[reference.index];
      if (callee.block_count != 0) add(callee.first_block, settings);
    }
    if (graph_.insns[block.end - 1].insn.is_exit()) spread_from_exit(function_of_[index], settings);
  }

  void spread_from_exit(uint32_t function, SettingSet settings) {
    if ((settings & ~exits_[function]) == 0) return;
    exits_[function] |= settings;
    for (uint32_t call : calls_[function])
      if (graph_.blocks[call].next != no_block) add(graph_.blocks[call].next, exits_[function]);
  }

  const CodeGraph& graph_;
  const AssumedWalks& walks_;
  std::vector<SettingSet> borders_;
  std::vector<uint32_t> pending_;
  std::vector<uint32_t> function_of_;         ///< by block
  std::vector<std::vector<uint32_t>> calls_;  ///< by function: blocks that end with a call of it
  std::vector<SettingSet> exits_;  ///< by function: the settings of borders that lead to its exits
};

/// Tests by walks which sets of settings suffice.
class Prover {
 public:
  Prover(const CodeGraph& graph, const CodeFacts& facts, Settings& settings, AssumedWalks& walks,
         uint64_t& work_left)
      : graph_(graph),
        facts_(facts),
        settings_(settings),
        walks_(walks),
        work_left_(work_left),
        all_(settings.all()) {}

  void prove(const std::vector<SettingSet>& borders) {
    std::map<SettingSet, std::vector<uint32_t>> groups;
    for (uint32_t i = 0; i < borders.size(); ++i)
      if (walks_.base.reaches(i) && !walks_.assumed.reaches(i)) groups[borders[i]].push_back(i);
    for (auto& [set, blocks] : groups) prove(set, std::move(blocks));
  }

 private:
  void prove(SettingSet set, std::vector<uint32_t> blocks) {
    if (set == 0) set = missing_from(set, walks_.base);
    for (uint32_t tries = 0; tries < max_tries && set != all_ && walks_done_ < max_walks; ++tries) {
      ++walks_done_;
      Walk walk = walk_code(graph_, facts_, settings_, set, work_left_);
      if (!walk.is_complete) break;
      std::erase_if(blocks, [&](uint32_t block) {
        if (!walk.reaches(block)) walks_.needs[block] = set;
        return !walk.reaches(block);
      });
      if (blocks.empty()) return;
      SettingSet missing = missing_from(set, walk);
      set = missing == 0 ? all_ : set | missing;
    }
    for (uint32_t block : blocks) walks_.needs[block] = all_;
  }

  /// The settings of branches that `walk` takes but the walk with all settings does not.
  SettingSet missing_from(SettingSet set, const Walk& walk) const {
    SettingSet missing = 0;
    for (uint32_t i = 0; i < graph_.blocks.size(); ++i) {
      const BlockVisit &ours = walk.blocks[i], &theirs = walks_.assumed.blocks[i];
      bool differs =
          (ours.took_next && !theirs.took_next) || (ours.took_target && !theirs.took_target);
      if (walks_.assumed.reaches(i) && differs) missing |= theirs.settings;
    }
    return missing & ~set;
  }

  const CodeGraph& graph_;
  const CodeFacts& facts_;
  Settings& settings_;
  AssumedWalks& walks_;
  uint64_t& work_left_;
  SettingSet all_;
  uint32_t walks_done_ = 0;
};

}  // namespace

AssumedWalks walk_with_settings(const CodeGraph& graph, const CodeFacts& facts,
                                Settings& settings) {
  uint64_t work_left = work_at_least + work_per_insn * graph.insns.size();
  AssumedWalks walks{.base = walk_code(graph, facts, settings, 0, work_left),
                     .assumed = {},
                     .needs = std::vector<SettingSet>(graph.blocks.size())};
  // A walk may use settings that the one before did not reach.
  bool has_settings = walks.base.is_complete && settings.all() != 0;
  if (has_settings) walks.assumed = walk_code(graph, facts, settings, ~SettingSet{0}, work_left);
  if (!has_settings || !walks.assumed.is_complete) {
    walks.assumed = walks.base;
    return walks;
  }
  Prover(graph, facts, settings, walks, work_left).prove(Regions(graph, walks).find_borders());
  return walks;
}

}  // namespace bpflink
