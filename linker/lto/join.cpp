// Joins the modules to one. Before that, each is made ready: what is unique in a file only gets a
// name of its own, and definitions that lost symbol resolution go.
#include <fmt/format.h>

#include <map>

#include "linker/lto/session.hpp"

namespace bpflink::lto {
namespace {

/// The globals of one name in all modules.
struct GlobalsOfName {
  uint64_t first, last;  ///< modules that have one
  bool is_static_in_assembly = false;
};

/// Files that are one module now.
struct JoinedFiles {
  LlvmModule module;
  uint64_t files;
};

class ModuleJoin {
 public:
  explicit ModuleJoin(Session& session) : session_(session) {}

  LlvmModule run() {
    const auto& modules = session_.request.modules;
    for (session_.index = 0; session_.index < modules.size(); ++session_.index) {
      LlvmModule module = session_.read();
      if (!module) return nullptr;
      take_cpu(module);
      warn_unoptimized(module);
      note_names(module);
      separate_relocations(module);
      unify_flags(module);
      for (std::string_view name : modules[session_.index].overridden) drop(module, name);
      join_in_pairs(module, session_.index + 1 == modules.size());
      if (session_.failed()) return nullptr;
    }
    check_names();
    session_.index = 0;
    if (session_.failed()) return nullptr;
    LlvmModule joined = joined_.front().module;
    llvm_.SetModuleIdentifier(joined, "lto", 3);
    note_old_names(joined);
    return joined;
  }

 private:
  /// Finds what the functions of a module are compiled for, which has to be the same for all, and
  /// takes it out: functions are optimized together if they are for one processor by their text.
  void take_cpu(LlvmModule module) {
    constexpr const char* features = "target-features";
    ir_.for_each_function(module, [&](Value f) {
      Cpu cpu{ir_.attribute(f, "target-cpu"), ir_.attribute(f, features), session_.index};
      for (std::string_view name : {"target-cpu", features, "tune-cpu"})
        llvm_.RemoveStringAttributeAtIndex(f, function_index, name.data(),
                                           static_cast<unsigned>(name.size()));
      if (!session_.is_foreign && !llvm_.IsDeclaration(f) && !session_.failed())
        learn_cpu(std::move(cpu));
    });
  }

  void learn_cpu(Cpu cpu) {
    constexpr unsigned default_is_v3 = 20;
    if (cpu.name.empty()) cpu.name = llvm_.version >= default_is_v3 ? "v3" : "generic";
    if (cpu.name == session_.yielding_cpu()) return;
    if (!session_.cpu) session_.cpu = cpu;
    const Cpu& first = *session_.cpu;
    bool is_same = cpu.name == first.name && cpu.features == first.features;
    if (is_same || !session_.options.lto_cpu.empty()) return;
    auto describe = [](const Cpu& of) {
      return fmt::format("-mcpu={}{}{}", of.name, of.features.empty() ? "" : " with ", of.features);
    };
    session_.report(fmt::format(
        "is compiled for {}, but {} for {}: compile both for one, or choose with --lto-cpu",
        describe(cpu), session_.request.modules[first.module].name, describe(first)));
  }

  /// warn_unloadable() tells it of the output, if all of that is so.
  void warn_unoptimized(LlvmModule module) const {
    constexpr std::string_view name = "optnone";
    unsigned kind = llvm_.GetEnumAttributeKindForName(name.data(), name.size());
    bool is_optimized = session_.request.modules.size() == 1 || !llvm_.GetFirstFunction(module);
    ir_.for_each_function(module, [&](Value f) {
      is_optimized |=
          !llvm_.IsDeclaration(f) && !llvm_.GetEnumAttributeAtIndex(f, function_index, kind);
    });
    if (!is_optimized)
      session_.warn(
          "was compiled without optimization, and verifiers refuse most such code: compile "
          "with -O2");
  }

  /// Notes who has a global of which name, and which static ones inline assembly names.
  void note_names(LlvmModule module) {
    std::set<std::string> in_assembly =
        ir_.names_in_assembly(module, [&](Value call, std::string_view text) {
          session_.assembly.add(ir_, session_.index, call, text);
        });
    ir_.for_each_global(module, [&](Value value) {
      auto [named, is_new] =
          names_.try_emplace(ir_.name_of(value), GlobalsOfName{session_.index, session_.index});
      named->second.last = session_.index;
      named->second.is_static_in_assembly |=
          ir_.is_local(value) && in_assembly.contains(named->first);
    });
    session_.named_by_assembly.merge(in_assembly);
  }

  /// LLVM renames what is static where another file has one of the name. Code in assembly would
  /// then use the other one.
  void check_names() {
    for (const auto& [name, named] : names_) {
      if (!named.is_static_in_assembly || named.first == named.last) continue;
      session_.index = named.last;
      session_.report(fmt::format(
          "has a symbol {}, as {} does, and inline assembly uses that, a static one, by its name: "
          "rename one of them",
          name, session_.request.modules[named.first].name));
    }
  }

  /// Where files have a static "state" each, LLVM calls one of them "state.3".
  void note_old_names(LlvmModule joined) {
    ir_.for_each_global(joined, [&](Value value) {
      const std::string name = ir_.name_of(value);
      if (llvm_.GetLinkage(value) != internal_linkage) return;
      std::string old = name;
      while (!names_.contains(old) && old.contains('.')) old.resize(old.rfind('.'));
      if (old != name) session_.old_names.emplace(name, old);
    });
  }

  /// The globals that stand for CO-RE relocations have names that are unique in a module only:
  /// "llvm.btf_type_id.0$7" is another type in each, and "llvm.pair:0:4$0:1" another member where
  /// two files define struct pair in their own way. Joined under one name, one of the
  /// relocations would become the other.
  void separate_relocations(LlvmModule module) const {
    constexpr std::string_view prefix = "llvm.", type_id = "llvm.btf_type_id.";
    ir_.for_each_global(module, [&](Value value) {
      std::string name = ir_.name_of(value);
      if (!name.starts_with(prefix) || !name.contains('$')) return;
      if (llvm_.IsAFunction(value) || !llvm_.IsDeclaration(value)) return;
      size_t at = name.starts_with(type_id) ? type_id.size() : prefix.size();
      ir_.rename(value, name.insert(at, fmt::format("{}.", session_.index)));
    });
  }

  /// Gives flags that only matter to how LLVM's own linkers divide the work one value: files of
  /// -flto and -flto=thin have others, and could not be joined. Where nobody needs DWARF, asks for
  /// CodeView in its place: LLVM makes none for BPF, and makes BTF all the same.
  void unify_flags(LlvmModule module) const {
    constexpr unsigned key = 1, value = 2, size = 3;
    if (!llvm_.ReplaceMDNodeOperandWith) return;  // before LLVM 16
    bool keeps_dwarf = session_.options.keep_debug || !session_.request.makes_object();
    Type number = llvm_.Int32TypeInContext(ir_.context);
    Metadata zero = llvm_.ValueAsMetadata(llvm_.ConstNull(number));
    constexpr std::string_view other_format = "CodeView";
    Metadata code_view =
        llvm_.MDStringInContext2(ir_.context, other_format.data(), other_format.size());
    for (Value flag : ir_.named_metadata(module, "llvm.module.flags")) {
      std::vector<Value> operands = ir_.operands(flag);
      if (operands.size() != size) continue;
      std::string_view name = ir_.text(operands[key]);
      if (name == "Dwarf Version" && !keeps_dwarf)
        llvm_.ReplaceMDNodeOperandWith(flag, key, code_view);
      if (name == "EnableSplitLTOUnit" || name == "UnifiedLTO" || name == "ThinLTO")
        llvm_.ReplaceMDNodeOperandWith(flag, value, zero);
    }
  }

  /// Replaces a definition by a declaration: LLVM may then look into it no longer. Dead code
  /// elimination removes what is left of it.
  void drop(LlvmModule module, std::string_view symbol) const {
    Value value = ir_.find(module, symbol);
    if (!value || llvm_.IsDeclaration(value)) return;
    std::string name(symbol);
    ir_.rename(value, name + ".overridden");
    Value declaration = ir_.add_global(module, name, llvm_.GlobalGetValueType(value));
    llvm_.SetSection(declaration, ir_.section_of(value).c_str());
    llvm_.ReplaceAllUsesWith(value, declaration);
    ir_.make_internal(value);
  }

  /// Joins a module with those before it that have as many files as it has by then: LLVM walks all
  /// types of both, so to join one file after the other would take the square of their number.
  void join_in_pairs(LlvmModule module, bool is_last) {
    joined_.push_back({module, 1});
    while (joined_.size() > 1 && !session_.failed()) {
      JoinedFiles last = joined_.back();
      JoinedFiles& before = joined_[joined_.size() - 2];
      if (before.files > last.files && !is_last) break;
      joined_.pop_back();
      before.files += last.files;
      if (llvm_.LinkModules2(before.module, last.module) != 0 && !session_.failed())
        session_.report("cannot be joined with the others");
    }
  }

  Session& session_;
  const Ir& ir_ = session_.ir;
  const Llvm& llvm_ = session_.llvm;
  std::map<std::string, GlobalsOfName> names_;
  std::vector<JoinedFiles> joined_;
};

}  // namespace

LlvmModule join(Session& session) {
  return ModuleJoin(session).run();
}

}  // namespace bpflink::lto
