// Pass: warn about functions that loaders skip, because they lost their SEC(), and of those that
// loaders or verifiers refuse: static programs, functions that call each other in a circle, and
// global functions whose arguments or results no verifier accepts, and instructions that none does.
//
// A verifier checks each global function on its own, by its types alone: it returns a number, and
// a pointer argument points to a context or to something of known size. A static function is
// checked with its callers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "bpflink/object.hpp"
#include "bpflink/print.hpp"
#include "linker/code/code_facts.hpp"
#include "linker/code/code_graph.hpp"
#include "linker/code/reachability.hpp"
#include "linker/context.hpp"
#include "linker/object/kernel_features.hpp"
#include "linker/object/map_arguments.hpp"
#include "linker/object/opcodes.hpp"
#include "linker/object/program_contexts.hpp"
#include "linker/object/references.hpp"
#include "linker/object/symbols_by_place.hpp"
#include "linker/object/verifier_rules.hpp"
#include "linker/text/locations.hpp"
#include "linker/types/function_rules.hpp"
#include "linker/types/kernel_tags.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/map_rules.hpp"

namespace bpflink {
namespace {

/// A function in live code.
struct Function {
  const ObjectFile* object;
  const InputSymbol* symbol;
  const InputSection* section;
  bool is_program = false;
};

/// A use of a function by another one.
struct Use {
  uint32_t function;  ///< the one that is used
  uint64_t at;        ///< bytes into the user's section
  bool is_call;       ///< it is called there; otherwise its address is taken
};

/// All functions of live code, their uses of each other, and what else refers to them.
class CallGraph {
 public:
  explicit CallGraph(const Context& context) {
    for (const auto& object : context.objects) add_functions(*object);
    for (auto& [section, starts] : starts_) std::ranges::sort(starts);
    uses.resize(functions.size());
    is_used_.resize(functions.size());
    for (const auto& object : context.objects)
      for (const InputSection& section : object->linked_sections())
        if (section.is_loaded()) add_uses(section);
  }

  std::vector<Function> functions;
  std::vector<std::vector<Use>> uses;  ///< by function
  /// Functions, and where they refer to code that no symbol covers.
  std::vector<std::pair<uint32_t, uint64_t>> nameless;

  /// The objects to whose functions others refer.
  std::unordered_set<const ObjectFile*> libraries;

  /// Whether code or data refers to a function that begins there.
  bool is_used(InputPlace place) const {
    auto function = find(place);
    return function && is_used_[*function];
  }

  /// The functions that loaders load: the programs, and what these use.
  std::vector<bool> loaded() const {
    Graph graph;
    for (const std::vector<Use>& of_function : uses) {
      for (const Use& use : of_function) graph.targets.push_back(use.function);
      graph.end_node();
    }
    std::vector<bool> found(functions.size());
    for (uint32_t i = 0; i < functions.size(); ++i)
      if (functions[i].is_program) graph.mark_reachable(i, found);
    return found;
  }

 private:
  /// Where a function begins, and its index.
  using Start = std::pair<uint64_t, uint32_t>;

  void add_functions(const ObjectFile& object) {
    for (uint32_t i = 1; i < object.symbols.size(); ++i) {
      const InputSymbol& symbol = object.symbols[i];
      if (symbol.type != STT_FUNC || !symbol.is_in_section() || lost_resolution(object, i))
        continue;
      const InputSection& section = object.sections[symbol.section];
      if (!section.is_linked() || !section.is_code() || !is_live(section, symbol.value)) continue;
      starts_[&section].emplace_back(symbol.value, static_cast<uint32_t>(functions.size()));
      functions.push_back({&object, &symbol, &section, section.holds_programs()});
    }
  }

  /// The function that has the place, or nothing.
  std::optional<uint32_t> find(InputPlace place) const {
    auto found = starts_.find(place.section);
    if (found == starts_.end() || place.offset < 0) return std::nullopt;
    auto offset = static_cast<uint64_t>(place.offset);
    auto next = std::ranges::upper_bound(found->second, Start{offset, UINT32_MAX});
    if (next == found->second.begin()) return std::nullopt;
    const InputSymbol& symbol = *functions[(next - 1)->second].symbol;
    bool is_inside = symbol.size == 0 || offset - symbol.value < symbol.size;
    return is_inside ? std::optional((next - 1)->second) : std::nullopt;
  }

  void add_use(const InputSection& section, uint64_t at, InputPlace to, bool is_call) {
    auto function = find(to);
    if (function && functions[*function].symbol->value == static_cast<uint64_t>(to.offset))
      is_used_[*function] = true;
    auto user = find({&section, static_cast<int64_t>(at)});
    if (!user || to.offset < 0) return;
    if (function)
      uses[*user].push_back({*function, at, is_call});
    else
      nameless.emplace_back(*user, at);
  }

  void add_uses(const InputSection& section) {
    for_each_reference(section, 0, section.size, [&](const Reference& reference) {
      InputPlace to = reference.to.definition();
      if (reference.is_jump || !to.section || !to.section->is_code()) return;
      if (to.section->file != section.file && !reference.to.symbol->is_defined())
        libraries.insert(to.section->file);
      add_use(section, reference.from, to, reference.is_call);
    });
  }

  std::unordered_map<const InputSection*, std::vector<Start>> starts_;
  std::vector<bool> is_used_;  ///< by function
};

/// Whether a function only returns a constant.
bool is_constant(const ObjectFile& object, const InputSymbol& function) {
  bool is_constant = true;
  uint64_t end = function.value + function.size;
  for_each_insn(object.sections[function.section].data, function.value, end, object.byte_order,
                [&](uint64_t, const Insn& insn) {
                  is_constant &= insn.is_exit() || insn.has_type_id_immediate();
                });
  return is_constant;
}

/// Whether a compiler has also inlined the function: some source line has instructions inside and
/// outside of it. A function that returns a constant leaves no such line, but most calls leave a
/// line with its name.
bool is_inlined(const ObjectFile& object, const InputSymbol& function) {
  std::set<std::pair<uint32_t, uint32_t>> lines;  // file and line
  bool is_named = false;
  auto for_each_line = [&](bool inside, auto visit) {
    object.for_each_line_info([&](const InputSection& section, LineInfo info) {
      bool is_inside =
          section.index == function.section && info.insn_off - function.value < function.size;
      if (is_inside != inside) return;
      visit(std::pair(info.file_name_off, info.line()));
      is_named |= !inside && find_word(object.btf->string(info.line_off), function.name) !=
                                 std::string_view::npos;
    });
  };
  for_each_line(true, [&](auto line) { lines.insert(line); });
  bool found = false;
  for_each_line(false, [&](auto line) { found |= lines.contains(line); });
  return found || (is_named && is_constant(object, function));
}

/// The names that tags name, as in "exception_callback:NAME".
std::unordered_set<std::string_view> find_tagged_names(const Context& context) {
  std::unordered_set<std::string_view> names;
  for (const auto& object : context.objects)
    for (uint32_t id : object->tags) {
      std::string_view text = object->btf->name(object->btf->type(id));
      if (size_t colon = text.find(':'); colon != text.npos) names.insert(text.substr(colon + 1));
    }
  return names;
}

/// Warns about programs that lost their SEC(). Loaders load a function of .text only together with
/// programs that call it. A library may have functions without a caller.
void warn_lost_sections(Context& context, const CallGraph& graph) {
  constexpr size_t max_functions = 64;  // more are hardly a mistake
  size_t checked = 0;
  std::optional<std::unordered_set<std::string_view>> tagged;
  for (const auto& object : context.objects)
    for (const BtfDeclaration& declaration : object->declarations) {
      const Symbol* symbol = declaration.symbol;
      // Weak functions come from libraries in headers.
      if (!declaration.is_func() || !symbol || !symbol->in_output || symbol->binding == STB_WEAK ||
          !symbol->is_from(*object, declaration.symbol_index))
        continue;
      const InputSection* section = symbol->place().section;
      if (!section || section->role != SectionRole::Text) continue;
      BtfType prototype = object->btf->type(declaration.type().type());
      if (prototype.vlen() == 0) continue;
      auto expected = section_for_parameter(*object->btf, prototype.param(0).type);
      if (!expected || expected->empty()) continue;
      if (graph.is_used(symbol->place()) || graph.libraries.contains(object.get())) continue;
      if (!tagged) tagged = find_tagged_names(context);
      if (tagged->contains(symbol->name)) continue;
      if (++checked > max_functions) return;
      if (is_inlined(*object, symbol->input())) continue;
      context.diagnostics.warning(
          fmt::format("'{}' is in .text: is SEC(...) missing?", symbol->name),
          {reference_to(*object, symbol->input(),
                        print_c_declaration(*object->btf, declaration.type().type(), symbol->name)),
           note("nothing calls it, so loaders skip it"),
           hint(fmt::format("if it is a program: SEC(\"{}\")", *expected))},
          DiagnosticCode::General, {.symbol = symbol->name});
    }
}

void warn_static_programs(Context& context, const CallGraph& graph) {
  constexpr size_t max_places = 3;
  std::vector<std::string_view> names;
  std::vector<DiagnosticReference> references;
  for (const Function& function : graph.functions)
    if (function.is_program && function.symbol->is_local()) {
      names.push_back(function.symbol->name);
      if (names.size() <= max_places)
        references.push_back(reference_to(*function.object, *function.symbol));
    }
  if (names.empty()) return;
  add_more(references, references.front().role, names.size(), max_places);
  references.push_back(hint("remove static"));
  context.diagnostics.warning("libbpf refuses static programs: " + list_of(names, max_places),
                              std::move(references), DiagnosticCode::NotOpenable,
                              {.symbol = std::string(names.front())});
}

/// Warns about code that calls a program or takes its address. libbpf allows such references only
/// to functions in .text.
void warn_used_programs(Context& context, const CallGraph& graph) {
  std::unordered_set<uint32_t> reported;
  for (uint32_t i = 0; i < graph.functions.size(); ++i)
    for (const Use& use : graph.uses[i]) {
      const Function &user = graph.functions[i], &program = graph.functions[use.function];
      if (!program.is_program || use.function == i || !reported.insert(use.function).second)
        continue;
      context.diagnostics.warning(
          fmt::format("code refers to program '{}', which libbpf refuses", program.symbol->name),
          {{ReferenceRole::Occurrence, location_of(*user.object, *user.section, use.at), ""},
           reference_to(*program.object, *program.symbol),
           hint("move the shared code into a function without SEC()")},
          DiagnosticCode::NotOpenable, {.symbol = program.symbol->name});
    }
}

/// The code of functions. Each byte is in one range: functions may share code.
class CoveredCode {
 public:
  struct Range {
    uint32_t rank;  ///< of the section, by its first function
    const ObjectFile* object;
    const InputSection* section;
    uint64_t begin, end;
  };

  /// Of the functions that are `wanted`, or of all if that is empty.
  explicit CoveredCode(const CallGraph& graph, const std::vector<bool>& wanted = {}) {
    std::vector<Range> all;
    for (uint32_t i = 0; i < graph.functions.size(); ++i) {
      if (!wanted.empty() && !wanted[i]) continue;
      const auto& [object, symbol, section, is_program] = graph.functions[i];
      uint32_t rank = ranks_.try_emplace(section, ranks_.size()).first->second;
      all.push_back({rank, object, section, symbol->value, symbol->value + symbol->size});
    }
    std::ranges::sort(all, {},
                      [](const Range& range) { return std::pair(range.rank, range.begin); });
    for (const Range& range : all)
      if (!ranges_.empty() && ranges_.back().rank == range.rank && range.begin < ranges_.back().end)
        ranges_.back().end = std::max(ranges_.back().end, range.end);
      else
        ranges_.push_back(range);
  }

  const std::vector<Range>& ranges() const { return ranges_; }

  bool contains(const InputSection* section, uint64_t at) const {
    auto rank = ranks_.find(section);
    if (rank == ranks_.end()) return false;
    auto next = std::ranges::upper_bound(
        ranges_, std::pair(rank->second, at), {},
        [](const Range& range) { return std::pair(range.rank, range.begin); });
    return next != ranges_.begin() && std::prev(next)->rank == rank->second &&
           at < std::prev(next)->end;
  }

 private:
  std::unordered_map<const InputSection*, uint32_t> ranks_;
  std::vector<Range> ranges_;
};

/// Warns about instructions that no kernel takes, once of each kind. Verifiers look at all
/// instructions of a program first.
void warn_unknown_instructions(Context& context, const CallGraph& graph, const CoveredCode& code) {
  constexpr size_t max_places = 3;
  struct Uses {
    std::vector<DiagnosticReference> places;
    size_t count = 0;
  };
  std::map<KernelFeature, Uses> uses;
  std::optional<CoveredCode> loaded;
  for (const auto& [rank, object, section, begin, end] : code.ranges())
    for_each_insn(
        section->data, begin, end, object->byte_order, [&](uint64_t at, const Insn& insn) {
          if (!is_in_no_kernel(insn)) return;
          if (!loaded) loaded.emplace(graph, graph.loaded());
          if (!loaded->contains(section, at)) return;
          auto& [places, count] = uses[*feature_of(insn)];
          if (++count <= max_places)
            places.push_back({ReferenceRole::Occurrence, location_of(*object, *section, at), ""});
        });
  for (auto& [feature, of_feature] : uses) {
    auto& [places, count] = of_feature;
    add_more(places, ReferenceRole::Occurrence, count, max_places);
    const KernelFeatureRow& row = row_of(feature);
    if (!row.advice.empty()) places.push_back(hint(std::string(row.advice)));
    context.diagnostics.warning(fmt::format("no kernel takes {}", row.name), std::move(places),
                                DiagnosticCode::NotLoadable);
  }
}

/// The code of an object that programs reach both where kernels have all that CO-RE relocations ask
/// for and where they have nothing of it. Other code stands behind a guard: it never runs on some
/// kernels, and before a load on others user space may give a map another type.
class UnguardedCode {
 public:
  explicit UnguardedCode(const ObjectFile& object) : graph_(object) {
    BoundInsns bound[] = {{}, {}};
    constexpr uint32_t versions[] = {1, UINT32_MAX};  // the oldest and the newest
    object.for_each_core_relo([&](const InputSection& section, const CoreRelo& record) {
      for (uint64_t has : {0, 1}) bound[has][{section.index, record.insn_off}] = {false, has};
    });
    for (size_t has : {0, 1}) {
      CodeFacts facts{.bound = &bound[has]};
      facts.known.version = versions[has];
      reached_.emplace_back(graph_, facts);
    }
  }

  bool contains(const InputSection& section, uint64_t at) const {
    uint32_t function = graph_.find_function(section.index, static_cast<int64_t>(at));
    // Another object may have the programs that call it.
    if (function == no_function || !graph_.is_loaded[function]) return true;
    return std::ranges::all_of(
        reached_, [&](const Reachability& walk) { return walk.is_reached(section.index, at); });
  }

 private:
  CodeGraph graph_;
  std::vector<Reachability> reached_{};
};

/// Warns about helpers that get a map of a type which they do not take, once for each reason.
void warn_wrong_maps(Context& context, const CallGraph& graph, const CoveredCode& code) {
  std::unordered_map<const Symbol*, uint32_t> types;  // of maps
  std::unordered_set<std::string> seen;
  std::optional<CoveredCode> loaded;
  std::map<const ObjectFile*, UnguardedCode> unguarded;
  for (const auto& [rank, object, section, begin, end] : code.ranges())
    for_each_relocated_argument(
        *section, begin, end,
        [&](uint64_t at, uint32_t helper, uint8_t reg, const Relocation& relocation,
            auto is_certain) {
          const Symbol* map = object->symbols[relocation.symbol].global;
          if (!map || reg != map_register(helper) || !map->is_defined || !map->btf_file) return;
          const InputSection* holder = map->place().section;
          if (!holder || holder->role != SectionRole::Maps) return;
          auto [type, is_new] = types.try_emplace(map);
          if (is_new)
            type->second = static_cast<uint32_t>(
                map_number(*map->btf_file->btf, map->variable_type(), "type"));
          std::string fault = find_argument_fault(helper, type->second);
          if (fault.empty() || !is_certain()) return;
          if (!loaded) loaded.emplace(graph, graph.loaded());
          if (!loaded->contains(section, at) || seen.contains(fault)) return;
          if (!unguarded.try_emplace(object, *object).first->second.contains(*section, at)) return;
          seen.insert(fault);
          context.diagnostics.warning(
              fmt::format("{}, such as {}", fault, map->name),
              {{ReferenceRole::Occurrence, location_of(*object, *section, at), ""},
               reference_to(*map->file, map->input())},
              DiagnosticCode::NotLoadable, {.symbol = map->name});
        });
}

void warn_struct_ops(Context& context) {
  for (const auto& object : context.objects)
    for (const InputSection& section : object->linked_sections()) {
      if (section.role != SectionRole::StructOps) continue;
      for (const Relocation& relocation : section.relocations) {
        const InputSection* code = target_of(*object, relocation).definition().section;
        if (!code || !code->is_code() || !is_live(section, relocation.offset) ||
            section_meaning(code->name).type == ProgramType::StructOps)
          continue;
        context.diagnostics.warning(
            fmt::format("libbpf refuses functions in {} that are not struct_ops programs",
                        section.name),
            {{ReferenceRole::Occurrence, location_of(*object, section, relocation.offset), ""},
             hint(fmt::format("SEC(\"struct_ops\"), not {}", code->name))},
            DiagnosticCode::NotOpenable, {.file = object->name});
        return;
      }
    }
}

/// Warns about static functions that lost their symbols, by which libbpf finds them.
void warn_nameless(Context& context, const CallGraph& graph) {
  std::set<const ObjectFile*> reported;
  for (auto [function, at] : graph.nameless) {
    const Function& user = graph.functions[function];
    if (!reported.insert(user.object).second) continue;
    context.diagnostics.warning(
        fmt::format("{}: '{}' calls a function without a symbol, which libbpf does not find",
                    user.object->name, user.symbol->name),
        {{ReferenceRole::Occurrence, location_of(*user.object, *user.section, at), "the call"},
         hint("strip it with -g, not with --strip-unneeded")},
        DiagnosticCode::NotLoadable, {.symbol = user.symbol->name});
  }
}

/// Finds circles of direct calls, each once, by a walk that goes into a function's calls before it
/// goes on.
class CircleFinder {
 public:
  CircleFinder(Context& context, const CallGraph& graph)
      : context_(context), graph_(graph), states_(graph.functions.size()) {}

  void run() {
    for (uint32_t i = 0; i < states_.size(); ++i)
      if (states_[i] == State::New) walk(i);
  }

 private:
  enum class State : uint8_t { New, Open, Done };
  struct Step {
    uint32_t function;
    size_t next = 0;  ///< the use to look at next
  };

  void walk(uint32_t first) {
    std::vector<Step> path{{first}};
    states_[first] = State::Open;
    while (!path.empty()) {
      Step& step = path.back();
      const auto& uses = graph_.uses[step.function];
      if (step.next == uses.size()) {
        states_[step.function] = State::Done;
        path.pop_back();
        continue;
      }
      const Use& use = uses[step.next++];
      if (!use.is_call) continue;
      if (states_[use.function] == State::Open) report(path, use.function);
      if (states_[use.function] != State::New) continue;
      states_[use.function] = State::Open;
      path.push_back({use.function});
    }
  }

  void report(const std::vector<Step>& path, uint32_t first) {
    constexpr size_t max_calls = 8, max_circles = 20;
    if (++circles_ > max_circles) return;
    auto begin = std::ranges::find(path, first, &Step::function);
    std::vector<DiagnosticReference> calls;
    for (auto step = begin; step != path.end(); ++step) {
      const Function& caller = graph_.functions[step->function];
      const Use& use = graph_.uses[step->function][step->next - 1];
      std::string_view name = graph_.functions[use.function].symbol->name;
      if (calls.size() < max_calls)
        calls.push_back({ReferenceRole::Occurrence,
                         location_of(*caller.object, *caller.section, use.at, name),
                         fmt::format("{} calls {}", caller.symbol->name, name)});
    }
    add_more(calls, ReferenceRole::Occurrence, static_cast<size_t>(path.end() - begin), max_calls);
    std::string_view name = graph_.functions[first].symbol->name;
    calls.push_back(hint("verifiers allow no recursion: use a loop"));
    context_.diagnostics.warning(fmt::format("'{}' calls itself, directly or through others", name),
                                 std::move(calls), DiagnosticCode::NotLoadable, {.symbol = name});
  }

  Context& context_;
  const CallGraph& graph_;
  std::vector<State> states_;
  size_t circles_ = 0;
};

/// The structs of the kernel that CO-RE relocations of any input look into. No program has them in
/// memory of its own, where a pointer argument of a global function points to.
class KernelObjects {
 public:
  explicit KernelObjects(const Context& context) {
    for (const auto& object : context.objects)
      object->for_each_core_relo([&](const InputSection&, CoreRelo relo) {
        const BtfView& types = *object->btf;
        if (!relo.is_local_type_id()) names_.insert(types.name(types.type(relo.type_id)));
      });
  }

  /// Whether struct `id` is one: it has parts that only the kernel's have, a name of the kernel's,
  /// or no room on the stack.
  bool contains(const BtfView& types, uint32_t id) {
    constexpr uint32_t max_stack = 512;
    constexpr uint32_t max_read = 8;  // verifiers take a pointer of the kernel's as so much memory
    BtfType type = types.type(id);
    std::string_view name = types.name(type);
    if (!is_composite(type.kind()) || type.size() <= max_read || !names_.contains(name))
      return false;
    bool is_named = std::ranges::find(kernel_objects, name) != kernel_objects.end();
    if (type.size() > max_stack || is_named) return true;
    if (types_ != &types) {
      types_ = &types;
      embeds_parts_ = find_kernel_records(types);
    }
    return embeds_parts_[id];
  }

 private:
  std::unordered_set<std::string_view> names_;
  const BtfView* types_ = nullptr;  ///< those of embeds_parts_
  std::vector<bool> embeds_parts_;
};

class TypeFaults {
 public:
  TypeFaults(const ObjectFile& object, KernelObjects& of_kernel)
      : types_(*object.btf), of_kernel_(of_kernel), tagged_(find_tagged_arguments(object)) {}

  std::optional<FunctionFault> find(uint32_t function) const {
    BtfType prototype = types_.type(types_.type(function).type());
    if (prototype.type() == 0)
      return FunctionFault{
          fmt::format("returns void, which verifiers before {} refuse",
                      linux_name(row_of(KernelFeature::VoidResults).brought.since)),
          "return an int"};
    if (auto fault = find_function_fault(types_, function, tagged_)) return fault;
    for (uint32_t i = 0; i < prototype.vlen(); ++i) {
      BtfParam parameter = prototype.param(i);
      uint32_t pointer = skip_modifiers(types_, parameter.type);
      if (types_.kind(pointer) == BtfKind::Ptr &&
          !tagged_.contains({function, static_cast<int32_t>(i)}) &&
          !section_for_parameter(types_, parameter.type) &&
          is_of_kernel(types_.type(pointer).type()))
        return FunctionFault{
            fmt::format(
                "takes '{}', and verifiers expect memory of the program there, not "
                "the kernel's",
                print_c_declaration(types_, parameter.type, types_.string(parameter.name_off))),
            "mark the argument __arg_trusted (Linux 6.9), compile with -flto"};
    }
    return std::nullopt;
  }

 private:
  bool is_of_kernel(uint32_t target) const {
    if (types_.kind(target) == BtfKind::TypeTag) return false;
    return of_kernel_.contains(types_, skip_modifiers(types_, target));
  }

  const BtfView& types_;
  KernelObjects& of_kernel_;
  TaggedArguments tagged_;
};

void warn_unacceptable_types(Context& context, const CallGraph& graph) {
  std::unordered_map<const InputSymbol*, uint32_t> found;
  for (uint32_t i = 0; i < graph.functions.size(); ++i)
    if (!graph.functions[i].is_program) found.emplace(graph.functions[i].symbol, i);
  std::optional<std::vector<bool>> loaded;
  KernelObjects of_kernel(context);
  for (const auto& object : context.objects) {
    std::optional<TypeFaults> faults;
    for (const BtfDeclaration& declaration : object->declarations) {
      const Symbol* symbol = declaration.symbol;
      if (!declaration.is_func() || declaration.is_synthesized || !symbol || !symbol->in_output ||
          declaration.type().func_linkage() != BtfLinkage::Global ||
          !symbol->is_from(*object, declaration.symbol_index) || symbol->visibility == STV_HIDDEN ||
          symbol->visibility == STV_INTERNAL)
        continue;
      auto function = found.find(&symbol->input());
      if (function == found.end()) continue;
      if (!faults) faults.emplace(*object, of_kernel);
      auto fault = faults->find(declaration.type_id);
      if (!fault) continue;
      if (!loaded) loaded = graph.loaded();
      if (!(*loaded)[function->second]) continue;
      context.diagnostics.warning(
          fmt::format("global function '{}' {}", symbol->name, fault->what),
          {reference_to(*object, symbol->input()),
           hint(fmt::format(
               "{}, or make it static or __hidden, so that it is checked with its callers",
               fault->advice))},
          DiagnosticCode::NotLoadable, {.symbol = symbol->name});
    }
  }
}

}  // namespace

/// Warns about functions that load arguments which their types do not have: verifiers take the
/// number of arguments from BTF.
void warn_excess_arguments(Context& context) {
  std::unordered_set<const InputSymbol*> seen;
  for (const auto& object : context.objects)
    object->for_each_func_info([&](const InputSection& section, FuncInfo info) {
      BtfType prototype = object->btf->type(object->btf->type(info.type_id).type());
      const InputSymbol* function = object->by_place().find_function(section.index, info.insn_off);
      if (prototype.kind() != BtfKind::FuncProto || !function || function->value != info.insn_off ||
          !is_live(*object, *function) || !seen.insert(function).second)
        return;
      bool has_excess = false;
      for_each_insn(section.data, function->value, function->value + function->size,
                    object->byte_order, [&](uint64_t, const Insn& insn) {
                      has_excess |= loaded_parameter(insn) > prototype.vlen();
                    });
      if (!has_excess) return;
      context.diagnostics.warning(
          fmt::format("'{}' loads an argument from the stack, and its type has {}", function->name,
                      count_of(prototype.vlen(), "parameter")),
          {reference_to(*object, *function), hint(std::string(excess_advice))},
          DiagnosticCode::NotLoadable, {.symbol = function->name});
    });
}

void check_functions(Context& context) {
  CallGraph graph(context);
  warn_lost_sections(context, graph);
  warn_static_programs(context, graph);
  warn_used_programs(context, graph);
  const CoveredCode code(graph);
  warn_unknown_instructions(context, graph, code);
  warn_wrong_maps(context, graph, code);
  warn_struct_ops(context);
  warn_nameless(context, graph);
  CircleFinder(context, graph).run();
  warn_unacceptable_types(context, graph);
  warn_excess_arguments(context);
}

}  // namespace bpflink
