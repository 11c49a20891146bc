// Rules about functions: which of them loaders find, and what verifiers demand of their types.
//
// A verifier checks each global function on its own, by its types alone: it returns a number, and a
// pointer argument points to a context or to something of known size. A static function is checked
// with its callers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/messages.hpp"
#include "linker/facts/program_contexts.hpp"
#include "linker/facts/verifier_rules.hpp"
#include "linker/files/references.hpp"
#include "linker/types/function_rules.hpp"
#include "linker/types/kernel_tags.hpp"
#include "linker/verdicts/verdict.hpp"

namespace bpflink {
namespace {

constexpr size_t max_names = 3;  ///< how many a message lists

/// A fault of libbpf's, with all functions that have it. `things` is "static programs".
void add_list(CoreNeed need, std::string_view things, std::string_view advice,
              std::vector<std::string_view> functions, std::vector<InsnPlace> places,
              std::vector<Verdict>& verdicts) {
  if (functions.empty()) return;
  verdicts.push_back({.need = need,
                      .name = std::string(things),
                      .by = RefusedBy::Libbpf,
                      .what = fmt::format("{}: {}", things, list_of(functions, max_names)),
                      .advice = std::string(advice),
                      .symbols = std::move(functions),
                      .places = std::move(places)});
}

/// Calls `visit(function, place)` for each call of a function of the object, or with `of_addresses`
/// for each address of one, too.
template <typename Visit>
void for_each_use(const CodeGraph& graph, const CodeFunction& user, bool of_addresses,
                  Visit visit) {
  for (const CodeInsn& insn : graph.insns_of(user)) {
    bool is_use = insn.is_static_call() ||
                  (of_addresses && insn.reference.kind == CodeReference::Kind::Callback);
    if (is_use) visit(graph.functions[insn.reference.index], InsnPlace{user.section, insn.at});
  }
}

}  // namespace

void judge_static_programs(const CoreObject& object, std::vector<Verdict>& verdicts) {
  const ObjectFile& file = object.file();
  std::vector<std::string_view> names;
  std::vector<InsnPlace> places;
  for (const InputSymbol& symbol : file.symbols)
    if (symbol.is_in_section() && symbol.is_local() && symbol.type == STT_FUNC &&
        file.sections[symbol.section].holds_programs()) {
      names.push_back(symbol.name);
      places.push_back({symbol.section, symbol.value});
    }
  add_list(CoreNeed::ProgramType, "static programs", "remove static", std::move(names),
           std::move(places), verdicts);
}

/// libbpf allows code to call functions of .text alone, and to take their addresses.
void judge_uses_of_programs(const CoreObject& object, std::vector<Verdict>& verdicts) {
  const CodeGraph& graph = *object.graph;
  std::map<std::string_view, InsnPlace> used;  // and the first use
  for (const CodeFunction& user : graph.functions)
    for_each_use(graph, user, true, [&](const CodeFunction& function, InsnPlace place) {
      if (&function != &user && object.file().sections[function.section].holds_programs())
        used.try_emplace(function.name, place);
    });
  std::vector<std::string_view> names;
  std::vector<InsnPlace> places;
  for (const auto& [name, place] : used) {
    names.push_back(name);
    places.push_back(place);
  }
  add_list(CoreNeed::ProgramType, "programs that code refers to",
           "move the shared code into a function without SEC()", std::move(names),
           std::move(places), verdicts);
}

void judge_struct_ops_members(const CoreObject& object, std::vector<Verdict>& verdicts) {
  std::vector<std::string_view> members;
  for (const StructOps& ops : object.object.struct_ops())
    for (const StructOpsMember& member : ops.members)
      if (auto program = object.find_program(member.program);
          !program || object.object.programs()[*program].meaning.type != ProgramType::StructOps)
        members.push_back(member.program);
  add_list(CoreNeed::ProgramType, "struct_ops members that are not struct_ops programs",
           "give each SEC(\"struct_ops\")", std::move(members), {}, verdicts);
}

/// libbpf finds a function by its symbol, which `strip --strip-unneeded` removes of static ones.
void judge_nameless_calls(const CoreObject& object, std::vector<Verdict>& verdicts) {
  std::vector<InsnPlace> places;
  for (const CodeFunction& function : object.graph->functions)
    for (const CodeInsn& insn : object.graph->insns_of(function))
      if (insn.insn.is_call() && insn.reference.is_nameless_code())
        places.push_back({function.section, insn.at});
  if (places.empty()) return;
  verdicts.push_back({.need = CoreNeed::Instructions,
                      .name = "calls",
                      .what = "code calls a function without a symbol, which loaders do not find",
                      .advice = "strip it with -g, not with --strip-unneeded",
                      .places = std::move(places)});
}

namespace {

/// Finds circles of direct calls, each once, by a walk that goes into a function's calls before it
/// goes on.
class CircleFinder {
 public:
  explicit CircleFinder(const CodeGraph& graph) : graph_(graph), states_(graph.functions.size()) {}

  void run(std::vector<Verdict>& verdicts) {
    for (uint32_t i = 0; i < states_.size(); ++i)
      if (states_[i] == State::New) walk(i, verdicts);
  }

 private:
  enum class State : uint8_t { New, Open, Done };
  struct Step {
    uint32_t function;
    size_t next = 0;  ///< the instruction to look at next
  };

  void walk(uint32_t first, std::vector<Verdict>& verdicts) {
    std::vector<Step> path{{first}};
    states_[first] = State::Open;
    while (!path.empty()) {
      Step& step = path.back();
      const auto insns = graph_.insns_of(graph_.functions[step.function]);
      while (step.next < insns.size() && !insns[step.next].is_static_call()) ++step.next;
      if (step.next == insns.size()) {
        states_[step.function] = State::Done;
        path.pop_back();
        continue;
      }
      const uint32_t called = insns[step.next++].reference.index;
      if (states_[called] == State::Open) add(path, called, verdicts);
      if (states_[called] != State::New) continue;
      states_[called] = State::Open;
      path.push_back({called});
    }
  }

  void add(const std::vector<Step>& path, uint32_t first, std::vector<Verdict>& verdicts) {
    constexpr size_t max_circles = 20;
    if (++circles_ > max_circles) return;
    const std::string_view name = graph_.functions[first].name;
    std::vector<InsnPlace> places;
    for (auto step = std::ranges::find(path, first, &Step::function); step != path.end(); ++step) {
      const CodeFunction& function = graph_.functions[step->function];
      places.push_back({function.section, graph_.insns_of(function)[step->next - 1].at});
    }
    verdicts.push_back(
        {.need = CoreNeed::Instructions,
         .name = std::string(name),
         .what = fmt::format("function {} calls itself, directly or through others", name),
         .advice = "verifiers allow no recursion: use a loop",
         .symbols = {name},
         .places = std::move(places),
         .anywhere_before = not_yet});
  }

  const CodeGraph& graph_;
  std::vector<State> states_;  ///< by function
  size_t circles_ = 0;
};

/// The structs of the kernel that CO-RE relocations of the object look into. No program has them in
/// memory of its own, where a pointer argument of a global function points to.
class KernelObjects {
 public:
  explicit KernelObjects(const ObjectFile& object) : types_(*object.btf) {
    object.for_each_core_relo([&](const InputSection&, CoreRelo relo) {
      if (!relo.is_local_type_id()) names_.insert(types_.name(types_.type(relo.type_id)));
    });
  }

  /// Whether a pointer leads to one: it has parts that only the kernel's have, a name of the
  /// kernel's, or no room on the stack.
  bool contain_target_of(BtfType pointer) {
    constexpr uint32_t max_stack = 512;
    constexpr uint32_t max_read = 8;  // verifiers take a pointer of the kernel's as so much memory
    if (types_.kind(pointer.type()) == BtfKind::TypeTag) return false;
    const uint32_t id = skip_modifiers(types_, pointer.type());
    BtfType type = types_.type(id);
    std::string_view name = types_.name(type);
    if (!is_composite(type.kind()) || type.size() <= max_read || !names_.contains(name))
      return false;
    if (type.size() > max_stack || std::ranges::find(kernel_objects, name) != kernel_objects.end())
      return true;
    if (embeds_parts_.empty()) embeds_parts_ = find_kernel_records(types_);
    return embeds_parts_[id];
  }

 private:
  const BtfView& types_;
  std::unordered_set<std::string_view> names_;
  std::vector<bool> embeds_parts_;
};

/// The first argument that points to an object of the kernel, without a tag that says so; as C.
std::string find_kernel_argument(const BtfView& types, uint32_t function,
                                 const TaggedArguments& tagged, KernelObjects& of_kernel) {
  BtfType prototype = types.type(types.type(function).type());
  for (uint32_t i = 0; i < prototype.vlen(); ++i) {
    BtfParam parameter = prototype.param(i);
    uint32_t pointer = skip_modifiers(types, parameter.type);
    if (types.kind(pointer) == BtfKind::Ptr && of_kernel.contain_target_of(types.type(pointer)) &&
        !tagged.contains({function, static_cast<int32_t>(i)}) &&
        !section_for_parameter(types, parameter.type))
      return print_c_declaration(types, parameter.type, types.string(parameter.name_off));
  }
  return "";
}

/// Parameters that a loader gives the type of a context, by their FUNCs.
std::set<std::pair<uint32_t, int32_t>> find_context_parameters(const ObjectFile& file) {
  std::set<std::pair<uint32_t, int32_t>> found;
  for (uint32_t id : file.tags) {
    BtfType tag = file.btf->type(id);
    if (file.btf->name(tag) == "arg:ctx") found.emplace(tag.type(), tag.component_idx());
  }
  return found;
}

/// Whether an argument is a pointer to no context.
bool takes_pointer(const BtfView& types, uint32_t function,
                   const std::set<std::pair<uint32_t, int32_t>>& contexts) {
  BtfType prototype = types.type(types.type(function).type());
  for (uint32_t i = 0; i < prototype.vlen(); ++i) {
    uint32_t type = prototype.param(i).type;
    if (types.kind(skip_modifiers(types, type)) == BtfKind::Ptr &&
        !contexts.contains({function, static_cast<int32_t>(i)}) &&
        !section_for_parameter(types, type))
      return true;
  }
  return false;
}

}  // namespace

/// Kernels sum up the stack of all functions in a chain of calls before they drop code that is not
/// reached.
void judge_circles(const CoreObject& object, std::vector<Verdict>& verdicts) {
  CircleFinder(*object.graph).run(verdicts);
}

void judge_prototypes(const CoreObject& object, ToldBy by, std::vector<Verdict>& verdicts) {
  const ObjectFile& file = object.file();
  if (!file.btf) return;
  const BtfView& types = *file.btf;
  const CodeGraph& graph = *object.graph;
  const TaggedArguments tagged = find_tagged_arguments(file);
  const auto contexts = find_context_parameters(file);
  KernelObjects of_kernel(file);
  std::unordered_map<uint32_t, std::vector<InsnPlace>> calls;  // by function
  auto calls_of = [&](uint32_t function) {
    if (calls.empty())
      for (const CodeFunction& user : graph.functions)
        for_each_use(graph, user, false, [&](const CodeFunction& called, InsnPlace place) {
          calls[static_cast<uint32_t>(&called - graph.functions.data())].push_back(place);
        });
    return calls[function];
  };
  for (uint32_t i = 0; i < graph.functions.size(); ++i) {
    const CodeFunction& function = graph.functions[i];
    const uint32_t id = function.func_id;
    if (!function.is_global || function.is_hidden || function.is_program || id == 0 ||
        types.type(id).func_linkage() != BtfLinkage::Global)
      continue;
    auto add = [&](std::string what, std::string advice) -> Verdict& {
      return verdicts.emplace_back(
          Verdict{.need = CoreNeed::ArgumentType,
                  .name = std::string(function.name),
                  .what = std::move(what),
                  .advice = std::move(advice),
                  .symbols = {function.name},
                  .places = {{function.section, function.begin}},
                  .is_of_symbol = true,
                  .refused_since = row_of(KernelFeature::GlobalFunctions).brought.since,
                  .anywhere_before = not_yet});
    };
    auto add_feature = [&](KernelFeature feature, std::string advice) {
      const KernelFeatureRow& row = row_of(feature);
      Verdict& verdict = add(std::string(row.name), std::move(advice));
      verdict.lacks = row.name;
      verdict.brought = row.brought;
    };
    if (auto fault = find_function_fault(types, id, tagged)) {
      Verdict& verdict = add(fmt::format("global function {} {}", function.name, fault->what),
                             fault->advice + ", or make it static or __hidden");
      if (std::vector<InsnPlace> callers = calls_of(i); !callers.empty()) {
        verdict.places = std::move(callers);
        verdict.anywhere_before = functions_on_demand;
      } else {
        verdict.brought = {functions_on_demand};
        verdict.told_by = ToldBy::Bpfcore;
      }
    } else if (by == ToldBy::Link) {  // likely, not certain: bpfcore does not guess
      if (std::string argument = find_kernel_argument(types, id, tagged, of_kernel);
          !argument.empty())
        add(fmt::format("global function {} takes '{}', and verifiers expect memory of the program "
                        "there, not the kernel's",
                        function.name, argument),
            "mark the argument __arg_trusted (Linux 6.9), compile with -flto, or make the function "
            "static or __hidden, so that it is checked with its callers");
    }
    if (by == ToldBy::Bpfcore && takes_pointer(types, id, contexts))
      add_feature(KernelFeature::PointerArguments,
                  fmt::format("make {} static, or __hidden if other files call it", function.name));
    const uint32_t result = types.type(types.type(id).type()).type();
    const bool is_arena = by == ToldBy::Bpfcore && is_arena_pointer(types, result);
    if (result == 0 || is_arena)  // void has no limit in C
      add_feature(
          is_arena ? KernelFeature::ArenaResults : KernelFeature::VoidResults,
          fmt::format("let {} return an int, or make it static or __hidden", function.name));
  }
}

std::vector<Verdict> judge(const CoreObject& object, ToldBy by, bool is_for_aya) {
  std::vector<Verdict> verdicts;
  judge_definitions(object, verdicts);
  judge_arenas(object, verdicts);
  judge_static_programs(object, verdicts);
  judge_uses_of_programs(object, verdicts);
  judge_struct_ops_members(object, verdicts);
  judge_sections(object, verdicts);
  judge_legacy_maps(object, verdicts);
  if (!is_for_aya || !object.object.license().empty()) judge_license(object, verdicts);
  judge_map_arguments(object, by, verdicts);
  judge_prototypes(object, by, verdicts);
  judge_circles(object, verdicts);
  judge_nameless_calls(object, verdicts);
  judge_instructions(object, verdicts);
  std::erase_if(verdicts, [&](const Verdict& verdict) {
    return verdict.told_by != ToldBy::Both && verdict.told_by != by;
  });
  return verdicts;
}

}  // namespace bpflink
