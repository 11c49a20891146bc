// The effect on a state of each instruction, except jumps and calls of the object's functions.
#pragma once

#include <optional>

#include "linker/program/abstract_state.hpp"
#include "linker/program/code_facts.hpp"
#include "linker/program/code_graph.hpp"
#include "linker/program/settings.hpp"

namespace bpflink {

class Evaluator {
 public:
  /// Evaluates on `state`, with the settings in `assumed` as constants. All arguments must outlive
  /// this.
  Evaluator(const CodeGraph& graph, const CodeFacts& facts, Settings& settings, SettingSet assumed,
            AbstractState& state)
      : graph_(graph),
        facts_(facts),
        settings_(settings),
        assumed_(assumed),
        verifier_(facts.verifier),
        state_(state) {}

  /// Evaluates an instruction of a section.
  void step(uint32_t section, const CodeInsn& code);

 private:
  /// The frame pointer cannot be written.
  void set(uint8_t reg, const Value& value) {
    if (reg != AbstractState::frame_pointer) state_[reg] = value;
  }
  const BoundInsn* find_bound(std::pair<uint32_t, uint64_t> place) const;
  Value operand(const Insn& insn, const BoundInsn* bound) const;
  void load_immediate(const CodeInsn& code, const BoundInsn* bound);
  Value ksym_address(const CodeReference& reference) const;
  Value load(const Insn& insn, const BoundInsn* bound);
  std::optional<uint64_t> kconfig_value(std::string_view name) const;
  std::optional<Value> load_kconfig(const Value& base, uint64_t offset, uint32_t size,
                                    bool is_signed) const;
  void store(const Insn& insn, const BoundInsn* bound);
  Value stored_value(const Insn& insn) const;
  void clobber_fetched(const Insn& insn);
  void call_kernel(const Insn& insn);

  const CodeGraph& graph_;
  const CodeFacts& facts_;
  Settings& settings_;
  SettingSet assumed_;
  Verifier verifier_;
  AbstractState& state_;
};

}  // namespace bpflink
