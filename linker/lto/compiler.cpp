#include "linker/lto/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_set>

namespace bpflink::lto {
namespace {

/// What code is compiled for: as for the options -mcpu and -mattr.
struct Cpu {
  std::string name, features;
  uint64_t module = 0;  ///< that says so
};

constexpr const char* lists_of_used[] = {"llvm.used", "llvm.compiler.used"};

/// The functions of one name in all modules.
struct Named {
  uint64_t first, last;  ///< modules that define one
  bool is_called_by_name;
};

/// Files that are one module now.
struct Joined {
  LlvmModule module;
  uint64_t files;
};

class Compiler {
 public:
  Compiler(const Llvm& llvm, const Request& request, const Answer& answer)
      : llvm_(llvm), request_(request), answer_(answer) {
    llvm.InitializeBPFTargetInfo();
    llvm.InitializeBPFTarget();
    llvm.InitializeBPFTargetMC();
    llvm.InitializeBPFAsmPrinter();
    llvm.InitializeBPFAsmParser();
  }

  void compile_each() {
    for (index_ = 0; index_ < request_.modules.size(); ++index_) {
      start();
      cpu_.reset();
      LlvmModule module = read();
      if (!module) continue;
      learn_cpu(module);
      ignores_errors_ = true;
      emit(module, object_file);
      ignores_errors_ = false;
      llvm_.DisposeModule(module);
    }
  }

  void compile_joined() {
    start();
    for (index_ = 0; index_ < request_.modules.size(); ++index_) {
      LlvmModule module = read();
      if (!module) return;
      learn_cpu(module);
      warn_unoptimized(module);
      note_functions(module);
      separate_relocations(module);
      unify_flags(module);
      for (std::string_view name : request_.modules[index_].overridden) drop(module, name);
      if (!join_in_pairs(module, index_ + 1 == request_.modules.size())) return;
    }
    if (!check_called_by_name()) return;
    LlvmModule joined = joined_.front().module;
    index_ = 0;
    llvm_.SetModuleIdentifier(joined, "lto", 3);
    make_internal(joined);
    if (request_.shows_bitcode) show(PartKind::Joined, joined);
    if (!optimize(joined)) return;
    if (request_.shows_bitcode) show(PartKind::Optimized, joined);
    emit(joined, request_.emits_assembly ? assembly_file : object_file);
  }

 private:
  // ---- messages

  void start() {
    failed_ = false;
    context_ = llvm_.ContextCreate();
    llvm_.ContextSetDiagnosticHandler(
        context_,
        [](DiagnosticInfo info, void* self) { static_cast<Compiler*>(self)->handle(info); }, this);
  }

  void handle(DiagnosticInfo info) {
    int severity = llvm_.GetDiagInfoSeverity(info);
    if (severity > severity_warning) return;
    char* text = llvm_.GetDiagInfoDescription(info);
    if (severity == severity_error)
      report(text);
    else
      warn(text);
    llvm_.DisposeMessage(text);
  }

  void warn(std::string_view text) const {
    if (!ignores_errors_) answer_({PartKind::Warning, index_, text});
  }

  void report(std::string_view text) {
    if (ignores_errors_) return;
    failed_ = true;
    answer_({PartKind::Error, index_, text});
  }

  void report_unless_failed(std::string_view text) {
    if (!failed_) report(text);
  }

  // ---- modules

  /// Reads the module `index_`. Null after an error.
  LlvmModule read() {
    const Module& given = request_.modules[index_];
    Buffer buffer = llvm_.CreateMemoryBufferWithMemoryRange(
        given.bitcode.data(), given.bitcode.size(), std::string(given.name).c_str(), 0);
    LlvmModule module = nullptr;
    int status = llvm_.ParseBitcodeInContext2(context_, buffer, &module);
    llvm_.DisposeMemoryBuffer(buffer);
    if (status != 0 || failed_) {
      report_unless_failed("is no bitcode that LLVM can read");
      return nullptr;
    }
    if (make_bpf(module)) return module;
    llvm_.DisposeModule(module);
    return nullptr;
  }

  /// Makes a module for another machine one for BPF, as `llc -march=bpf` does: the author compiled
  /// it so for headers that only the host has. Its structs are laid out already, so the machine has
  /// to have the sizes and alignments of BPF.
  bool make_bpf(LlvmModule module) {
    const std::string triple = llvm_.GetTarget(module);
    is_foreign_ = !triple.starts_with("bpf");
    if (!is_foreign_) return true;
    DataLayout layout = llvm_.GetModuleDataLayout(module);
    constexpr unsigned size = 8;
    if (triple.empty() || llvm_.PointerSize(layout) != size ||
        llvm_.ABIAlignmentOfType(layout, llvm_.Int64TypeInContext(context_)) != size) {
      report(fmt::format("is LLVM bitcode for {}: compile with --target=bpf",
                         triple.empty() ? "no target" : triple));
      return false;
    }
    if (!request_.takes_foreign)
      warn(
          fmt::format("is LLVM bitcode for {}, compiled for BPF all the same: compile with "
                      "--target=bpf, or say --lto-target bpf",
                      triple));
    llvm_.SetTarget(module, llvm_.ByteOrder(layout) == little_endian ? "bpfel" : "bpfeb");
    Machine machine = make_machine(module);
    if (!machine) return false;
    DataLayout own = llvm_.CreateTargetDataLayout(machine);
    llvm_.SetModuleDataLayout(module, own);
    llvm_.DisposeTargetData(own);
    llvm_.DisposeTargetMachine(machine);
    // Those of another processor
    for (Value f = llvm_.GetFirstFunction(module); f; f = llvm_.GetNextFunction(f))
      for (std::string_view name : {"target-cpu", "target-features", "tune-cpu"})
        llvm_.RemoveStringAttributeAtIndex(f, function_index, name.data(),
                                           static_cast<unsigned>(name.size()));
    return true;
  }

  /// warn_unloadable() tells it of the output, if all of that is so.
  void warn_unoptimized(LlvmModule module) const {
    constexpr std::string_view name = "optnone";
    unsigned kind = llvm_.GetEnumAttributeKindForName(name.data(), name.size());
    bool is_optimized = request_.modules.size() == 1 || !llvm_.GetFirstFunction(module);
    for (Value f = llvm_.GetFirstFunction(module); f; f = llvm_.GetNextFunction(f))
      is_optimized |=
          !llvm_.IsDeclaration(f) && !llvm_.GetEnumAttributeAtIndex(f, function_index, kind);
    if (!is_optimized)
      warn(
          "was compiled without optimization, and verifiers refuse most of such code: compile "
          "with -O2");
  }

  template <typename Visit>
  void for_each_global(LlvmModule module, Visit visit) const {
    auto run = [&](Value value, auto next) {
      while (value) {
        Value following = next(value);
        visit(value);
        value = following;
      }
    };
    run(llvm_.GetFirstFunction(module), llvm_.GetNextFunction);
    run(llvm_.GetFirstGlobal(module), llvm_.GetNextGlobal);
    run(llvm_.GetFirstGlobalAlias(module), llvm_.GetNextGlobalAlias);
  }

  Value find(LlvmModule module, std::string_view symbol) const {
    std::string name(symbol);
    if (Value value = llvm_.GetNamedFunction(module, name.c_str())) return value;
    if (Value value = llvm_.GetNamedGlobal(module, name.c_str())) return value;
    return llvm_.GetNamedGlobalAlias(module, name.data(), name.size());
  }

  std::string name_of(Value value) const {
    size_t size = 0;
    const char* name = llvm_.GetValueName2(value, &size);
    return {name, size};
  }

  void rename(Value value, const std::string& name) const {
    llvm_.SetValueName2(value, name.data(), name.size());
  }

  /// The globals that stand for CO-RE relocations have names that are unique in a module only:
  /// "llvm.btf_type_id.0$7" is another type in each, and "llvm.pair:0:4$0:1" another member where
  /// two files define struct pair in their own way. Joined under one name, one of the relocations
  /// would become the other.
  void separate_relocations(LlvmModule module) const {
    constexpr std::string_view prefix = "llvm.";
    for_each_global(module, [&](Value value) {
      std::string name = name_of(value);
      if (!name.starts_with(prefix) || name.find('$') == name.npos) return;
      if (llvm_.IsAFunction(value) || !llvm_.IsDeclaration(value)) return;
      constexpr std::string_view type_id = "llvm.btf_type_id.";
      size_t at = name.starts_with(type_id) ? type_id.size() : prefix.size();
      rename(value, name.insert(at, fmt::format("{}.", index_)));
    });
  }

  /// Gives flags that only matter to how LLVM's own linkers divide the work one value: files of
  /// -flto and -flto=thin have others, and could not be joined.
  void unify_flags(LlvmModule module) const {
    constexpr const char* list = "llvm.module.flags";
    constexpr unsigned key = 1, value = 2, size = 3;
    if (!llvm_.ReplaceMDNodeOperandWith) return;  // before LLVM 16
    std::vector<Value> flags(llvm_.GetNamedMetadataNumOperands(module, list));
    llvm_.GetNamedMetadataOperands(module, list, flags.data());
    Metadata zero =
        llvm_.ValueAsMetadata(llvm_.ConstInt(llvm_.Int32TypeInContext(context_), 0, false));
    for (Value flag : flags) {
      Value operands[size];
      if (llvm_.GetMDNodeNumOperands(flag) != size) continue;
      llvm_.GetMDNodeOperands(flag, operands);
      unsigned length = 0;
      const char* name = operands[key] ? llvm_.GetMDString(operands[key], &length) : nullptr;
      std::string_view text(name ? name : "", length);
      if (text == "EnableSplitLTOUnit" || text == "UnifiedLTO" || text == "ThinLTO")
        llvm_.ReplaceMDNodeOperandWith(flag, value, zero);
    }
  }

  /// Replaces a definition by a declaration: LLVM may then look into it no longer. Dead code
  /// elimination removes what is left of it.
  void drop(LlvmModule module, std::string_view symbol) const {
    Value value = find(module, symbol);
    if (!value || llvm_.IsDeclaration(value)) return;
    std::string name(symbol);
    rename(value, name + ".overridden");
    Type type = llvm_.GlobalGetValueType(value);
    Value declaration = llvm_.GetTypeKind(type) == function_type
                            ? llvm_.AddFunction(module, name.c_str(), type)
                            : llvm_.AddGlobal(module, type, name.c_str());
    if (const char* section = llvm_.GetSection(value); section && *section)
      llvm_.SetSection(declaration, section);
    llvm_.ReplaceAllUsesWith(value, declaration);
    make_internal(value);
  }

  /// Whether nothing but a list of what to keep refers to a static function: inline assembly calls
  /// it, by its name.
  bool is_called_by_name(LlvmModule module, Value function) const {
    Use use = llvm_.GetFirstUse(function);
    if (llvm_.GetLinkage(function) != internal_linkage || !use) return false;
    for (; use; use = llvm_.GetNextUse(use))
      if (std::ranges::none_of(lists_of_used, [&](const char* list) {
            Value global = llvm_.GetNamedGlobal(module, list);
            return global && llvm_.GetInitializer(global) == llvm_.GetUser(use);
          }))
        return false;
    return true;
  }

  void note_functions(LlvmModule module) {
    for (Value f = llvm_.GetFirstFunction(module); f; f = llvm_.GetNextFunction(f)) {
      if (llvm_.IsDeclaration(f)) continue;
      auto [named, is_new] = functions_.try_emplace(name_of(f), Named{index_, index_, false});
      named->second.last = index_;
      named->second.is_called_by_name |= is_called_by_name(module, f);
    }
  }

  /// LLVM renames static functions where another file has one of the name. Code in assembly would
  /// then call the other one.
  bool check_called_by_name() {
    for (const auto& [name, named] : functions_) {
      if (!named.is_called_by_name || named.first == named.last) continue;
      index_ = named.last;
      report(
          fmt::format("defines {}, as {} does, and inline assembly calls that, a static function, "
                      "by its name: rename one of them",
                      name, request_.modules[named.first].name));
    }
    return !failed_;
  }

  /// Joins a module with those before it that have as many files as it has by then: LLVM walks all
  /// types of both, so to join one file after the other would take the square of their number.
  bool join_in_pairs(LlvmModule module, bool is_last) {
    joined_.push_back({module, 1});
    while (joined_.size() > 1 && !failed_) {
      Joined last = joined_.back();
      Joined& before = joined_[joined_.size() - 2];
      if (before.files > last.files && !is_last) break;
      joined_.pop_back();
      before.files += last.files;
      if (llvm_.LinkModules2(before.module, last.module) != 0)
        report_unless_failed("cannot be joined with the others");
    }
    return !failed_;
  }

  void make_internal(Value value) const {
    if (llvm_.IsAGlobalObject(value)) llvm_.SetComdat(value, nullptr);  // no alias
    llvm_.SetVisibility(value, default_visibility);
    llvm_.SetLinkage(value, internal_linkage);
  }

  /// Makes functions internal that nothing outside of the joined module needs, unless the source
  /// says so with __attribute__((used)) or ((retain)), or inline assembly calls it: what code
  /// refers to and no instruction uses.
  void make_internal(LlvmModule joined) const {
    std::unordered_set<Value> used;
    for (const char* list : lists_of_used)
      if (Value global = llvm_.GetNamedGlobal(joined, list))
        if (Value values = llvm_.GetInitializer(global))
          for (int i = 0; i < llvm_.GetNumOperands(values); ++i)
            used.insert(llvm_.GetOperand(values, static_cast<unsigned>(i)));
    for (const Module& module : request_.modules)
      for (std::string_view symbol : module.referred)
        if (Value value = find(joined, symbol); value && !llvm_.GetFirstUse(value))
          used.insert(value);
    for (const Module& module : request_.modules)
      for (std::string_view symbol : module.internal)
        if (Value value = find(joined, symbol);
            value && !llvm_.IsDeclaration(value) && !used.contains(value))
          make_internal(value);
  }

  // ---- code

  std::string attribute(Value function, std::string_view name) const {
    Attribute attribute = llvm_.GetStringAttributeAtIndex(function, function_index, name.data(),
                                                          static_cast<unsigned>(name.size()));
    if (!attribute) return {};
    unsigned size = 0;
    const char* value = llvm_.GetStringAttributeValue(attribute, &size);
    return {value, size};
  }

  /// What LLVM compiles for where nothing is named.
  std::string default_cpu() const {
    constexpr unsigned default_is_v3 = 20;
    return llvm_.version >= default_is_v3 ? "v3" : "generic";
  }

  /// Finds what the functions of a module are compiled for, which has to be the same for all.
  void learn_cpu(LlvmModule module) {
    if (is_foreign_) return;
    for (Value f = llvm_.GetFirstFunction(module); f; f = llvm_.GetNextFunction(f)) {
      if (llvm_.IsDeclaration(f)) continue;
      Cpu cpu{attribute(f, "target-cpu"), attribute(f, "target-features"), index_};
      if (cpu.name.empty()) cpu.name = default_cpu();
      if (!cpu_) cpu_ = cpu;
      if (!request_.cpu.empty() || (cpu.name == cpu_->name && cpu.features == cpu_->features))
        continue;
      auto describe = [](const Cpu& of) {
        return fmt::format("-mcpu={}{}{}", of.name, of.features.empty() ? "" : " with ",
                           of.features);
      };
      return report(
          fmt::format("is compiled for {}, but {} for {}: compile both for one, or choose "
                      "with --lto-cpu",
                      describe(cpu), request_.modules[cpu_->module].name, describe(*cpu_)));
    }
  }

  /// Without optimization, code generation omits the pass that makes CO-RE relocations.
  Machine make_machine(LlvmModule module) {
    constexpr int default_reloc = 0, default_code_model = 0;
    const char* triple = llvm_.GetTarget(module);
    Target target = nullptr;
    char* message = nullptr;
    if (llvm_.GetTargetFromTriple(triple, &target, &message) != 0) {
      report(message);
      llvm_.DisposeMessage(message);
      return nullptr;
    }
    Cpu cpu = cpu_.value_or(Cpu{});
    if (!request_.cpu.empty()) cpu = {std::string(request_.cpu), ""};
    return llvm_.CreateTargetMachine(target, triple, cpu.name.c_str(), cpu.features.c_str(),
                                     std::max(static_cast<int>(request_.level), 1), default_reloc,
                                     default_code_model);
  }

  bool optimize(LlvmModule module) {
    Machine machine = make_machine(module);
    if (!machine) return false;
    PassOptions options = llvm_.CreatePassBuilderOptions();
    std::string passes = fmt::format("globaldce,lto<O{}>", request_.level);
    if (Failure failure = llvm_.RunPasses(module, passes.c_str(), machine, options)) {
      char* message = llvm_.GetErrorMessage(failure);
      report(message);
      llvm_.DisposeErrorMessage(message);
    }
    llvm_.DisposePassBuilderOptions(options);
    llvm_.DisposeTargetMachine(machine);
    return !failed_;
  }

  void emit(LlvmModule module, FileType type) {
    Machine machine = make_machine(module);
    if (!machine) return;
    char* message = nullptr;
    Buffer buffer = nullptr;
    if (llvm_.TargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer) != 0) {
      report(message);
      llvm_.DisposeMessage(message);
    } else if (!failed_) {
      answer(PartKind::Output, buffer);
    }
    llvm_.DisposeTargetMachine(machine);
  }

  void show(PartKind kind, LlvmModule module) const {
    answer(kind, llvm_.WriteBitcodeToMemoryBuffer(module));
  }

  void answer(PartKind kind, Buffer buffer) const {
    answer_({kind, index_, {llvm_.GetBufferStart(buffer), llvm_.GetBufferSize(buffer)}});
    llvm_.DisposeMemoryBuffer(buffer);
  }

  const Llvm& llvm_;
  const Request& request_;
  const Answer& answer_;
  Context context_ = nullptr;  ///< never freed: the process ends with its work
  uint64_t index_ = 0;         ///< of the module at work
  std::optional<Cpu> cpu_;
  std::map<std::string, Named> functions_;
  std::vector<Joined> joined_;  ///< the modules so far, as compile_joined() joins them
  bool failed_ = false, ignores_errors_ = false;
  bool is_foreign_ = false;  ///< whether the module at work was for another machine
};

}  // namespace

void compile_each(const Llvm& llvm, const Request& request, const Answer& answer) {
  Compiler(llvm, request, answer).compile_each();
}

void compile_joined(const Llvm& llvm, const Request& request, const Answer& answer) {
  Compiler(llvm, request, answer).compile_joined();
}

}  // namespace bpflink::lto
