// The values of read-only variables.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "linker/program/abstract_state.hpp"
#include "linker/program/code_facts.hpp"
#include "linker/program/code_graph.hpp"

namespace bpflink {

class Settings {
 public:
  /// Both must outlive this.
  Settings(const CodeGraph& graph, const CoreFacts& facts) : graph_(graph), facts_(facts) {}

  /// The value of a load of `size` bytes at `offset` of a section, if it is certain or among the
  /// assumed settings.
  std::optional<Value> load(uint32_t section, uint64_t offset, uint32_t size, bool is_signed,
                            SettingSet assumed);
  /// All settings that loads have used.
  SettingSet all() const { return all_; }
  std::vector<CoreAssumption> describe(SettingSet settings) const;

 private:
  /// The last bit is shared by all settings without a bit of their own.
  static constexpr size_t last_bit = 63;
  /// A limit: each setting may be named for each instruction. Further ones are unknown.
  static constexpr size_t max_settings = 512;

  /// The bit of a setting; 0 if there are too many.
  SettingSet bit_of(uint32_t section, uint64_t offset, uint32_t size, const CodeVariable& variable,
                    uint64_t value);

  const CodeGraph& graph_;
  const CoreFacts& facts_;
  std::vector<CoreAssumption> settings_;  ///< by bit; those after the last bit share it
  std::unordered_map<uint64_t, size_t> index_;
  SettingSet all_ = 0;
};

/// The `size` bytes at `offset` of a scalar of `whole` bytes.
uint64_t part_of(uint64_t value, uint64_t whole, uint64_t offset, uint32_t size, std::endian order);

/// The value of a register after loading a number.
Value loaded(uint64_t bits, uint32_t size, bool is_signed, SettingSet settings = 0);

}  // namespace bpflink
