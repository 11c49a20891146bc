#include "linker/program/walk.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <queue>
#include <set>
#include <unordered_set>
#include <utility>

#include "linker/program/evaluate.hpp"

namespace bpflink {
namespace {

/// How many contexts of a function distinguish arguments; further calls share one that does not.
constexpr uint32_t max_contexts = 16;
/// A limit on the blocks of such contexts, all together.
constexpr uint64_t max_context_blocks = 1u << 17;
/// A limit on stack slots, in all states together; further states have none.
constexpr uint64_t max_slots = 1u << 20;
/// The cost of beginning a block, in instructions.
constexpr uint64_t block_work = 8;
constexpr uint32_t no_state = UINT32_MAX;

class Walker {
 public:
  Walker(const CodeGraph& graph, const CodeFacts& facts, Settings& settings, SettingSet assumed,
         uint64_t& work_left)
      : graph_(graph),
        evaluator_(graph, facts, settings, assumed, state_),
        verifier_(facts.verifier),
        catches_exceptions_(facts.verifier == 0 ||
                            verifier_.has(KernelFeature::ExceptionCallbacks)),
        work_left_(work_left) {
    walk_.blocks.resize(graph.blocks.size());
    contexts_of_.resize(graph.functions.size());
  }

  Walk run() {
    for (uint32_t i = 0; i < graph_.functions.size(); ++i) {
      const CodeFunction& function = graph_.functions[i];
      bool is_entered = function.is_program ||
                        (function.is_exception_callback ? catches_exceptions_ : function.is_global);
      if (!graph_.is_loaded[i] || !is_entered) continue;
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
  /// The state of a context during the walk.
  struct Context {
    std::vector<uint32_t> states;  ///< by block of the function: an index in states_, or no_state
    std::vector<bool> is_pending;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> pending;
    std::vector<Place> waiting;  ///< calls that continue when it returns
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
    bool has_room = contexts_of_[function] < max_contexts &&
                    context_blocks_ + callee.block_count <= max_context_blocks;
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

  /// Reaches all of an opaque function, and everything that it refers to.
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

  /// Lets control flow to a block of the context's function.
  void flow(Place to, const AbstractState& state) {
    Context& context = contexts_[to.context];
    uint32_t& known = context.states[to.block];
    if (known == no_state) {
      known = static_cast<uint32_t>(states_.size());
      states_.push_back(state);
      slots_ += state.slot_count();
      if (slots_ > max_slots) states_.back().clobber_stack();
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
      const CodeInsn& insn = graph_.insns[i];
      evaluator_.step(function.section, insn);
      if (insn.reference.kind == CodeReference::Kind::Callback)
        add_caller(enter(insn.reference.index, {}), place.context);
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
    const CodeFunction& called = graph_.functions[function];
    if (called.is_global) {
      // Older kernels check a callback like other global functions, where something calls it.
      if (called.is_exception_callback && !catches_exceptions_)
        add_caller(enter(function, AbstractState()), place.context);
    } else {
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
      decision = decide_jump(insn, state_[insn.dst_reg], source, verifier_);
      if (decision) visit.settings |= state_[insn.dst_reg].settings | source.settings;
    }
    if (decision.value_or(true))
      follow(place, insn, source, is_conditional && BPF_OP(insn.code) == BPF_JEQ, block.target);
    if (!decision.value_or(false))
      follow(place, insn, source, is_conditional && BPF_OP(insn.code) == BPF_JNE, block.next);
  }

  /// Follows an edge on which the two operands may be known to be equal. The verifier learns
  /// nothing from that about pointers, and from a 32-bit comparison nothing about the upper half.
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

  static constexpr uint8_t may_goto = 0xe0;

  const CodeGraph& graph_;
  Evaluator evaluator_;
  Verifier verifier_;
  bool catches_exceptions_;  ///< whether the verifier enters exception callbacks
  uint64_t& work_left_;
  uint64_t slots_ = 0, context_blocks_ = 0;
  Walk walk_;
  std::deque<Context> contexts_;       ///< by index in walk_.contexts
  std::vector<uint32_t> contexts_of_;  ///< by function: the number of contexts
  std::map<Key, uint32_t> context_of_;
  std::unordered_set<uint64_t> callers_;
  std::set<std::array<uint32_t, 3>> waiting_;
  std::vector<uint32_t> active_;  ///< contexts with blocks to evaluate, those called last
  std::deque<AbstractState> states_;
  AbstractState state_;  ///< before the current instruction
};

}  // namespace

Walk walk_code(const CodeGraph& graph, const CodeFacts& facts, Settings& settings,
               SettingSet assumed, uint64_t& work_left) {
  return Walker(graph, facts, settings, assumed, work_left).run();
}

}  // namespace bpflink
