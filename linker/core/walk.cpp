#include "linker/core/walk.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <unordered_set>
#include <utility>

namespace bpflink {
namespace {

/// Contexts of a function that tell arguments apart; further calls share the one that does not.
constexpr uint32_t most_contexts = 16;
/// Blocks of such contexts, all together.
constexpr uint64_t most_context_blocks = 1u << 17;
/// Stack slots in all states, all together; beyond, states are kept without.
constexpr uint64_t most_slots = 1u << 20;
/// What it takes to begin a block, in instructions.
constexpr uint64_t block_work = 8;
constexpr uint8_t mem_sign_extended = 0x80;  // BPF_MEMSX, not in the headers of every system
constexpr uint32_t no_state = UINT32_MAX;

uint32_t access_size(const Insn& insn) {
  switch (BPF_SIZE(insn.code)) {
    case BPF_B:
      return 1;
    case BPF_H:
      return 2;
    case BPF_W:
      return 4;
    default:
      return 8;
  }
}

/// The instructions that libbpf takes records for.
bool may_be_bound(const Insn& insn) {
  switch (BPF_CLASS(insn.code)) {
    case BPF_ALU:
    case BPF_ALU64:
    case BPF_LDX:
    case BPF_ST:
    case BPF_STX:
      return true;
    default:
      return insn.is_ld_imm64();
  }
}

/// Whether a helper may call a function, with a pointer into the caller's stack. Kernel functions
/// and helpers that are not known may, too.
bool may_call_back(const Insn& call) {
  if (call.src_reg != 0) return true;
  switch (call.imm) {
    case BPF_FUNC_for_each_map_elem:
    case BPF_FUNC_timer_set_callback:
    case BPF_FUNC_find_vma:
    case BPF_FUNC_loop:
    case 209:  // bpf_user_ringbuf_drain
      return true;
    default:
      return call.imm <= 0 || call.imm > 211;  // bpf_cgrp_storage_delete, the last helper
  }
}

class Walker {
 public:
  Walker(const CodeGraph& graph, const CodeFacts& facts, Settings& settings, SettingSet assumed,
         uint64_t& work_left)
      : graph_(graph),
        facts_(facts),
        settings_(settings),
        assumed_(assumed),
        precision_(VerifierPrecision::of(facts.kernel_version)),
        work_left_(work_left) {
    walk_.blocks.resize(graph.blocks.size());
    contexts_of_.resize(graph.functions.size());
  }

  Walk run() {
    for (uint32_t i = 0; i < graph_.functions.size(); ++i) {
      const CodeFunction& function = graph_.functions[i];
      if (!graph_.is_loaded[i] || (!function.is_program && !function.is_global)) continue;
      walk_.contexts[enter(i, AbstractState())].is_entry = true;
      drain();
    }
    for (uint32_t i = 0; i < walk_.contexts.size(); ++i) finish(i);
    return std::move(walk_);
  }

 private:
  struct Place {
    uint32_t context, block;
  };
  /// What is kept of a context during the walk.
  struct Context {
    std::vector<uint32_t> states;  ///< by block of the function: an index in states_, or no_state
    std::vector<bool> is_pending;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> pending;
    std::vector<Place> waiting;  ///< calls that go on when it returns
    std::optional<Value> result;
    bool is_active = false;  ///< in active_
    bool is_opaque = false, is_expanded = false;
  };
  using Key = std::array<uint64_t, 11>;

  void drain() {
    while (!active_.empty() && walk_.is_complete) {
      uint32_t index = active_.back();
      Context& context = contexts_[index];
      if (context.is_opaque && !std::exchange(context.is_expanded, true))
        expand(index);
      else if (context.pending.empty()) {
        context.is_active = false;
        active_.pop_back();
      } else {
        uint32_t block = context.pending.top();
        context.pending.pop();
        context.is_pending[block] = false;
        evaluate({index, block});
      }
    }
  }

  void activate(uint32_t index) {
    if (std::exchange(contexts_[index].is_active, true)) return;
    active_.push_back(index);
  }

  /// The context of a function with the arguments in `state`.
  uint32_t enter(uint32_t function, const AbstractState& state) {
    const CodeFunction& callee = graph_.functions[function];
    AbstractState entry;
    Key key{function};
    auto make_key = [&](bool knows_arguments) {
      for (uint8_t reg = 1; reg <= 5; ++reg) {
        bool is_passed = knows_arguments && reg <= callee.parameters;
        entry[reg] = is_passed ? state[reg].outside_frame() : Value::foreign();
        key[reg * 2 - 1] = static_cast<uint64_t>(entry[reg].kind) | uint64_t{entry[reg].base} << 8;
        key[reg * 2] = entry[reg].bits;
      }
    };
    make_key(!callee.is_opaque);
    auto found = context_of_.find(key);
    bool has_room = contexts_of_[function] < most_contexts &&
                    context_blocks_ + callee.block_count <= most_context_blocks;
    if (found == context_of_.end() && !has_room) {
      make_key(false);
      found = context_of_.find(key);
    }
    uint32_t index = found == context_of_.end() ? add_context(function, key) : found->second;
    if (!callee.is_opaque) flow({index, 0}, entry);
    return index;
  }

  uint32_t add_context(uint32_t function, const Key& key) {
    const CodeFunction& callee = graph_.functions[function];
    auto index = static_cast<uint32_t>(contexts_.size());
    context_of_.emplace(key, index);
    ++contexts_of_[function];
    context_blocks_ += callee.block_count;
    walk_.contexts.emplace_back().function = function;
    Context& context = contexts_.emplace_back();
    context.is_opaque = callee.is_opaque;
    if (context.is_opaque) {
      activate(index);
      context.result = Value::foreign();
    } else {
      context.states.resize(callee.block_count, no_state);
      context.is_pending.resize(callee.block_count);
    }
    return index;
  }

  /// All of an opaque function is reached, and all that it refers to.
  void expand(uint32_t index) {
    uint32_t function = walk_.contexts[index].function;
    const CodeFunction& opaque = graph_.functions[function];
    for (uint32_t i = 0; i < opaque.block_count; ++i)
      walk_.blocks[opaque.first_block + i].reached_end = graph_.blocks[opaque.first_block + i].end;
    for (uint32_t used : graph_.uses.edges(function)) add_caller(enter(used, {}), index);
  }

  void add_caller(uint32_t callee, uint32_t caller) {
    if (callers_.insert(uint64_t{callee} << 32 | caller).second)
      walk_.contexts[callee].callers.push_back(caller);
  }

  void finish(uint32_t index) {
    const Context& context = contexts_[index];
    std::vector<bool>& is_reached = walk_.contexts[index].is_reached;
    for (uint32_t state : context.states) is_reached.push_back(state != no_state);
  }

  /// Control goes on to a block of the context's function.
  void flow(Place to, const AbstractState& state) {
    Context& context = contexts_[to.context];
    uint32_t& known = context.states[to.block];
    if (known == no_state) {
      known = static_cast<uint32_t>(states_.size());
      states_.push_back(state);
      slots_ += state.slot_count();
      if (slots_ > most_slots) states_.back().clobber_stack();
    } else if (!states_[known].join(state)) {
      return;
    }
    wake(to);
  }

  void wake(Place place) {
    Context& context = contexts_[place.context];
    activate(place.context);
    if (context.is_pending[place.block]) return;
    context.is_pending[place.block] = true;
    context.pending.push(place.block);
  }

  void flow_to(Place from, uint32_t block, const AbstractState& state) {
    if (block == no_block) return;
    uint32_t first = graph_.functions[walk_.contexts[from.context].function].first_block;
    flow({from.context, block - first}, state);
  }

  void evaluate(Place place) {
    const CodeFunction& function = graph_.functions[walk_.contexts[place.context].function];
    uint32_t index = function.first_block + place.block;
    const CodeBlock& block = graph_.blocks[index];
    BlockVisit& visit = walk_.blocks[index];
    uint64_t work = block.end - block.begin + block_work;
    if (work_left_ < work) {
      walk_.is_complete = false;
      return;
    }
    work_left_ -= work;
    state_ = states_[contexts_[place.context].states[place.block]];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      visit.reached_end = std::max(visit.reached_end, i + 1);
      if (!step(place.context, function.section, graph_.insns[i])) return;
    }
    const CodeInsn& last = graph_.insns[block.end - 1];
    if (last.insn.is_exit())
      leave(place.context);
    else if (last.is_static_call())
      call(place, last, block);
    else if (last.insn.is_jump())
      jump(place, last.insn, block, visit);
    else
      flow_to(place, block.next, state_);
  }

  void leave(uint32_t index) {
    Context& context = contexts_[index];
    Value result = state_[0].outside_frame();
    if (!context.result)
      context.result = result;
    else if (!context.result->join(result))
      return;
    for (Place caller : context.waiting) wake(caller);
  }

  void call(Place place, const CodeInsn& insn, const CodeBlock& block) {
    uint32_t function = insn.reference.index;
    if (state_.passes_frame()) state_.clobber_stack();
    std::optional<Value> result = Value::foreign();
    if (!graph_.functions[function].is_global) {
      uint32_t callee = enter(function, state_);
      add_caller(callee, place.context);
      result = contexts_[callee].result;
      std::array<uint32_t, 3> edge = {callee, place.context, place.block};
      if (waiting_.insert(edge).second) contexts_[callee].waiting.push_back(place);
    }
    if (!result) return;
    state_[0] = *result;
    state_.clobber_arguments();
    flow_to(place, block.next, state_);
  }

  void jump(Place place, const Insn& insn, const CodeBlock& block, BlockVisit& visit) {
    std::optional<bool> decision;
    Value source = BPF_SRC(insn.code) == BPF_X ? state_[insn.src_reg]
                                               : Value::constant(static_cast<uint64_t>(insn.imm));
    bool is_conditional = BPF_OP(insn.code) != BPF_JA && BPF_OP(insn.code) != may_goto;
    if (BPF_OP(insn.code) == BPF_JA) decision = true;
    if (is_conditional) {
      decision = decide_jump(insn, state_[insn.dst_reg], source);
      if (decision) visit.settings |= state_[insn.dst_reg].settings | source.settings;
    }
    if (decision.value_or(true)) {
      visit.took_target = true;
      follow(place, insn, source, is_conditional && BPF_OP(insn.code) == BPF_JEQ, block.target);
    }
    if (!decision.value_or(false)) {
      visit.took_next = true;
      follow(place, insn, source, is_conditional && BPF_OP(insn.code) == BPF_JNE, block.next);
    }
  }

  /// Follows an edge on which the two operands may be known to be equal. Of pointers the verifier
  /// learns nothing from that, and of 32 bits only those.
  void follow(Place place, const Insn& insn, const Value& source, bool are_equal, uint32_t block) {
    const Value destination = state_[insn.dst_reg];
    bool is_wide = BPF_CLASS(insn.code) == BPF_JMP;
    if (!are_equal || !is_wide || !destination.is_scalar() || !source.is_scalar())
      return flow_to(place, block, state_);
    bool is_register = BPF_SRC(insn.code) == BPF_X;
    if (source.is_constant()) state_[insn.dst_reg] = source;
    if (is_register && destination.is_constant()) state_[insn.src_reg] = destination;
    flow_to(place, block, state_);
    state_[insn.dst_reg] = destination;
    if (is_register) state_[insn.src_reg] = source;
  }

  /// Evaluates what is no jump. False where the path ends.
  bool step(uint32_t context, uint32_t section, const CodeInsn& code) {
    const Insn& insn = code.insn;
    const BoundInsn* bound =
        facts_.core && may_be_bound(insn) ? facts_.core(section, code.at) : nullptr;
    if (bound && bound->is_poisoned) {
      set(insn.dst_reg, Value::foreign());
      return facts_.continue_after_poison;
    }
    switch (BPF_CLASS(insn.code)) {
      case BPF_ALU:
      case BPF_ALU64:
        set(insn.dst_reg,
            evaluate_alu(insn, state_[insn.dst_reg], operand(insn, bound), precision_));
        break;
      case BPF_LD:
        load_immediate(context, code, bound);
        break;
      case BPF_LDX:
        set(insn.dst_reg, load(insn, bound));
        break;
      case BPF_ST:
      case BPF_STX:
        store(insn, bound);
        break;
      default:
        if (insn.is_call() && !code.is_static_call()) call_kernel(insn);
    }
    return true;
  }

  /// The frame pointer cannot be written.
  void set(uint8_t reg, const Value& value) {
    if (reg != AbstractState::frame_pointer) state_[reg] = value;
  }

  /// The second operand of arithmetic.
  Value operand(const Insn& insn, const BoundInsn* bound) const {
    if (bound && !bound->value) return Value::scalar();
    if (bound) return Value::constant(static_cast<uint64_t>(static_cast<int32_t>(*bound->value)));
    if (BPF_SRC(insn.code) == BPF_X) return state_[insn.src_reg];
    return Value::constant(static_cast<uint64_t>(insn.imm));
  }

  void load_immediate(uint32_t context, const CodeInsn& code, const BoundInsn* bound) {
    const Insn& insn = code.insn;
    if (!insn.is_ld_imm64()) {  // a legacy load from a packet
      state_.clobber_arguments();
      state_[0] = Value::scalar();
      return;
    }
    if (bound)
      return set(insn.dst_reg, bound->value ? Value::constant(*bound->value) : Value::scalar());
    using enum CodeReference::Kind;
    const CodeReference& reference = code.reference;
    auto offset = static_cast<uint64_t>(reference.offset);
    uint64_t immediate =
        uint64_t{static_cast<uint32_t>(code.high)} << 32 | static_cast<uint32_t>(insn.imm);
    switch (reference.kind) {
      case None:
        return set(insn.dst_reg, insn.src_reg == 0 ? Value::constant(immediate) : Value::foreign());
      case Callback:
        add_caller(enter(reference.index, {}), context);
        return set(insn.dst_reg, Value::foreign());
      case Data:
        return set(insn.dst_reg, {Value::Kind::Data, reference.index, offset});
      case Kconfig:
        return set(insn.dst_reg, {Value::Kind::Kconfig, reference.index, offset});
      case Ksym:
        return set(insn.dst_reg, ksym_address(reference));
      default:
        return set(insn.dst_reg, Value::foreign());
    }
  }

  Value ksym_address(const CodeReference& reference) const {
    const InputSymbol& symbol = graph_.object.symbols[reference.index];
    auto exists = facts_.ksym_exists ? facts_.ksym_exists(symbol) : std::nullopt;
    if (!exists) return Value::foreign();
    if (!*exists && reference.offset == 0) return Value::constant(0);
    return *exists && graph_.has_known_address(symbol) ? Value{Value::Kind::NonZero}
                                                       : Value::foreign();
  }

  Value load(const Insn& insn, const BoundInsn* bound) {
    const Value& base = state_[insn.src_reg];
    uint32_t size = access_size(insn);
    uint8_t mode = BPF_MODE(insn.code);
    bool is_signed = mode == mem_sign_extended;
    bool is_known = !bound && (mode == BPF_MEM || is_signed);
    uint64_t offset = base.bits + static_cast<uint64_t>(int64_t{insn.off});
    std::optional<Value> value;
    if (is_known && base.kind == Value::Kind::Frame)
      value = state_.load(static_cast<int64_t>(offset), size, is_signed);
    else if (is_known && base.kind == Value::Kind::Data)
      value = settings_.load(base.base, offset, size, is_signed, assumed_);
    else if (is_known && base.kind == Value::Kind::Kconfig)
      value = load_kconfig(base, offset, size, is_signed);
    if (value) {
      if (value->is_constant()) value->settings |= base.settings;
      return *value;
    }
    if (base.may_be_frame() && size == 8) return {};
    // Loads of 4 bytes from a context may give pointers.
    bool is_scalar = size <= 2 || (base.is_address() && is_known);
    return is_scalar ? Value::scalar() : Value::foreign();
  }

  std::optional<Value> load_kconfig(const Value& base, uint64_t offset, uint32_t size,
                                    bool is_signed) const {
    if (!facts_.kconfig) return std::nullopt;
    auto whole = graph_.extern_size(base.base);
    if (!whole || *whole > 8 || offset > *whole || size > *whole - offset) return std::nullopt;
    auto value = facts_.kconfig(graph_.object.symbols[base.base]);
    if (!value) return std::nullopt;
    return loaded(part_of(*value, *whole, offset, size, graph_.object.byte_order), size, is_signed);
  }

  void store(const Insn& insn, const BoundInsn* bound) {
    const Value& base = state_[insn.dst_reg];
    uint32_t size = access_size(insn);
    auto offset = static_cast<int64_t>(base.bits + static_cast<uint64_t>(int64_t{insn.off}));
    bool is_atomic = BPF_CLASS(insn.code) == BPF_STX && BPF_MODE(insn.code) == BPF_ATOMIC;
    bool is_plain = BPF_MODE(insn.code) == BPF_MEM;
    if (base.kind == Value::Kind::Any || (base.kind == Value::Kind::Frame && bound))
      state_.clobber_stack();
    else if (base.kind == Value::Kind::Frame && !is_plain)
      state_.clobber(offset, size);
    else if (base.kind == Value::Kind::Frame)
      state_.store(offset, size, stored_value(insn), precision_);
    if (is_atomic) clobber_fetched(insn);
  }

  Value stored_value(const Insn& insn) const {
    if (BPF_CLASS(insn.code) == BPF_STX) return state_[insn.src_reg];
    // Some verifiers take the immediate as unsigned.
    bool is_known = precision_.immediate_stores && insn.imm >= 0;
    return is_known ? Value::constant(static_cast<uint64_t>(insn.imm)) : Value::scalar();
  }

  /// What an atomic operation may load: into r0, into its source or, as a load, its destination.
  void clobber_fetched(const Insn& insn) {
    constexpr int32_t load_acquire = 0x100;
    if (insn.imm == load_acquire) return set(insn.dst_reg, {});
    if ((insn.imm & BPF_FETCH) == 0) return;
    set(insn.imm == BPF_CMPXCHG ? uint8_t{0} : insn.src_reg, {});
  }

  /// A helper or kernel function writes from the addresses on that it gets.
  void call_kernel(const Insn& insn) {
    if (may_call_back(insn) && state_.passes_frame()) state_.clobber_stack();
    for (uint8_t reg = 1; reg <= 5; ++reg) {
      if (state_[reg].kind == Value::Kind::Any) state_.clobber_stack();
      if (state_[reg].kind == Value::Kind::Frame)
        state_.clobber_from(static_cast<int64_t>(state_[reg].bits));
    }
    state_.clobber_arguments();
    state_[0] = Value::foreign();
  }

  static constexpr uint8_t may_goto = 0xe0;

  const CodeGraph& graph_;
  const CodeFacts& facts_;
  Settings& settings_;
  SettingSet assumed_;
  VerifierPrecision precision_;
  uint64_t& work_left_;
  uint64_t slots_ = 0, context_blocks_ = 0;
  Walk walk_;
  std::deque<Context> contexts_;       ///< by index in walk_.contexts
  std::vector<uint32_t> contexts_of_;  ///< by function: how many
  std::map<Key, uint32_t> context_of_;
  std::unordered_set<uint64_t> callers_;
  std::set<std::array<uint32_t, 3>> waiting_;
  std::vector<uint32_t> active_;  ///< contexts with blocks to evaluate, those called last
  std::deque<AbstractState> states_;
  AbstractState state_;  ///< of the instruction that is evaluated
};

}  // namespace

Walk walk_code(const CodeGraph& graph, const CodeFacts& facts, Settings& settings,
               SettingSet assumed, uint64_t& work_left) {
  return Walker(graph, facts, settings, assumed, work_left).run();
}

}  // namespace bpflink
