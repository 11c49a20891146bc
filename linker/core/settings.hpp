// The values of read-only variables.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "linker/core/abstract_state.hpp"
#include "linker/core/code_graph.hpp"
#include "linker/core/reachability.hpp"

namespace bpflink {

class Settings {
 public:
  /// Both must outlive this.
  Settings(const CodeGraph& graph, const CoreFacts& facts) : graph_(graph), facts_(facts) {}

  /// What a load of `size` bytes at `offset` of a section gives, if that is sure or among the
  /// settings that are assumed.
  std::optional<Value> load(uint32_t section, uint64_t offset, uint32_t size, bool is_signed,
                            SettingSet assumed);
  /// All that were asked for.
  SettingSet all() const { return all_; }
  std::vector<Assumption> describe(SettingSet settings) const;

 private:
  /// The last bit stands for all settings that have none of their own.
  static constexpr size_t last_bit = 63;
  /// More are unknown: each may be named for each instruction.
  static constexpr size_t most_settings = 512;

  /// 0 where there are too many.
  SettingSet bit_of(uint32_t section, uint64_t offset, uint32_t size, const CodeVariable& variable,
                    uint64_t value);

  const CodeGraph& graph_;
  const CoreFacts& facts_;
  std::vector<Assumption> settings_;  ///< by bit, and behind the last one all that share it
  std::unordered_map<uint64_t, size_t> index_;
  SettingSet all_ = 0;
};

/// The part of a scalar of `whole` bytes that `size` bytes at `offset` of it are.
uint64_t part_of(uint64_t value, uint64_t whole, uint64_t offset, uint32_t size, std::endian order);

/// A loaded number as a register has it.
Value loaded(uint64_t bits, uint32_t size, bool is_signed, SettingSet settings = 0);

}  // namespace bpflink
