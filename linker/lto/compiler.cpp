#include "linker/lto/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

namespace bpflink::lto {
namespace {

/// What code is compiled for: as for the options -mcpu and -mattr.
struct Cpu {
  std::string name, features;
  uint64_t module = 0;  ///< that says so
};

constexpr const char features[] = "target-features";
constexpr const char* own_features = "none";  ///< of a function whose parameters stay

constexpr const char* lists_of_used[] = {"llvm.used", "llvm.compiler.used"};

/// The globals of one name in all modules.
struct Named {
  uint64_t first, last;  ///< modules that have one
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

  void outline_each() {
    for (index_ = 0; index_ < request_.modules.size(); ++index_) {
      start();
      LlvmModule module = read();
      if (!module) continue;
      LlvmModule outline = describe_rust(make_outline(module));
      llvm_.DisposeModule(module);
      emit(outline, LinkOptions::Emit::Object);
      llvm_.DisposeModule(outline);
    }
  }

  void compile_joined() {
    start();
    for (index_ = 0; index_ < request_.modules.size(); ++index_) {
      LlvmModule module = read();
      if (!module) return;
      learn_cpu(module);
      forget_cpu(module);
      warn_unoptimized(module);
      note_names(module);
      separate_relocations(module);
      unify_flags(module);
      for (std::string_view name : request_.modules[index_].overridden) drop(module, name);
      if (!join_in_pairs(module, index_ + 1 == request_.modules.size())) return;
    }
    if (!check_called_by_name()) return;
    LlvmModule joined = joined_.front().module;
    index_ = 0;
    llvm_.SetModuleIdentifier(joined, "lto", 3);
    if (!make_internal(joined)) return;
    if (request_.shows_bitcode) show(PartKind::Joined, joined);
    joined = optimize(joined);
    if (joined) put_outer_maps_last(joined);
    if (!joined || !make_internal(joined) || !drop_built_ins(joined)) return;
    joined = describe_rust(joined);
    if (request_.shows_bitcode) show(PartKind::Optimized, joined);
    emit(joined, request_.emit);
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
    if (severity == severity_warning)
      warn(text);
    else if (!is_call_of_built_in(text))
      report(text);
    llvm_.DisposeMessage(text);
  }

  /// The backend has an error for calls that code generation itself makes. Those of functions that
  /// the modules define are as good as others.
  bool is_call_of_built_in(std::string_view message) {
    constexpr std::string_view words = "A call to built-in function '";
    size_t at = message.find(words);
    if (at == message.npos) return false;
    message.remove_prefix(at + words.size());
    std::string_view name = message.substr(0, message.find('\''));
    if (auto built_in = built_ins_.find(name); built_in != built_ins_.end())
      built_in->second = true;
    return defined_built_ins_.contains(name);
  }

  void warn(std::string_view text) const { answer_({PartKind::Warning, index_, text}); }

  void report(std::string_view text) {
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

  std::string section_of(Value global) const {
    const char* section = llvm_.GetSection(global);
    return section ? section : "";
  }

  bool is_local(Value global) const {
    int linkage = llvm_.GetLinkage(global);
    return linkage == internal_linkage || linkage == private_linkage;
  }

  /// Adds what assembly calls, or loads the address of: "call NAME" and "r1 = NAME ll".
  static void add_names(std::string_view assembly, std::set<std::string>& names) {
    constexpr std::string_view in_names =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._$";
    std::string_view before, word = "0";
    while (!assembly.empty()) {
      size_t size = std::min(assembly.find_first_not_of(in_names), assembly.size());
      if (size == 0) {
        assembly.remove_prefix(assembly[0] == '\\' ? std::min<size_t>(3, assembly.size()) : 1);
        continue;
      }
      before = std::exchange(word, assembly.substr(0, size));
      assembly.remove_prefix(size);
      std::string_view name = before == "call" ? word : word == "ll" ? before : "0";
      if (!std::isdigit(static_cast<unsigned char>(name[0])) && name[0] != '$') names.emplace(name);
    }
  }

  std::set<std::string> names_in_assembly(LlvmModule module) const {
    constexpr int call = 45;
    std::set<std::string> names;
    size_t size = 0;
    const char* text = llvm_.GetModuleInlineAsm(module, &size);
    add_names({text, size}, names);
    for (Value f = llvm_.GetFirstFunction(module); f; f = llvm_.GetNextFunction(f))
      for (Block b = llvm_.GetFirstBasicBlock(f); b; b = llvm_.GetNextBasicBlock(b))
        for (Value i = llvm_.GetFirstInstruction(b); i; i = llvm_.GetNextInstruction(i)) {
          if (llvm_.GetInstructionOpcode(i) != call) continue;
          Value callee = llvm_.GetCalledValue(i);
          if (!llvm_.IsAInlineAsm(callee)) continue;
          // "void asm sideeffect "r1 = 5\0Acall there", "=r""
          char* printed = llvm_.PrintValueToString(callee);
          add_names(printed, names);
          llvm_.DisposeMessage(printed);
        }
    return names;
  }

  // ---- outlines

  Value operand(Value node, unsigned index) const {
    std::vector<Value> operands(llvm_.GetMDNodeNumOperands(node));
    llvm_.GetMDNodeOperands(node, operands.data());
    return index < operands.size() ? operands[index] : nullptr;
  }

  /// Whether debug information describes a global under the name of its symbol. Names that Rust and
  /// C++ mangle have the types in them.
  bool has_plain_name(Value global, Metadata description) const {
    Value node = llvm_.MetadataAsValue(context_, description);
    bool is_function = llvm_.IsAFunction(global) != nullptr;
    if (!is_function) node = operand(node, 0);  // behind an expression
    Value name = node ? operand(node, is_function ? 2 : 1) : nullptr;
    unsigned length = 0;
    const char* text = name ? llvm_.GetMDString(name, &length) : nullptr;
    return text && name_of(global) == std::string_view(text, length);
  }

  /// LLVM before 16 crashes at functions without one, in a module that has some.
  bool needs_description(Value global) const {
    constexpr unsigned mended = 16;
    return llvm_.IsAFunction(global) && llvm_.version < mended;
  }

  void copy_properties(Value from, Value to, bool is_outline) const {
    constexpr unsigned dbg = 0;
    int linkage = llvm_.GetLinkage(from);
    llvm_.SetLinkage(to, linkage == available_externally_linkage ? external_linkage : linkage);
    llvm_.SetVisibility(to, llvm_.GetVisibility(from));
    llvm_.SetSection(to, section_of(from).c_str());
    if (llvm_.IsAGlobalVariable(to)) llvm_.SetGlobalConstant(to, llvm_.IsGlobalConstant(from));
    if (!llvm_.IsAGlobalObject(from)) return;
    size_t count = 0;
    MetadataEntry* entries = llvm_.GlobalCopyAllMetadata(from, &count);
    for (unsigned i = 0; i < count; ++i)
      if (Metadata description = llvm_.ValueMetadataEntriesGetMetadata(entries, i);
          llvm_.ValueMetadataEntriesGetKind(entries, i) == dbg &&
          (!is_outline || has_plain_name(from, description) || needs_description(from)))
        llvm_.GlobalSetMetadata(to, dbg, description);
    llvm_.DisposeValueMetadataEntries(entries);
  }

  /// Makes a function without code, or a variable, of the same symbol and type.
  Value copy_symbol(Value from, LlvmModule to, bool is_defined) const {
    Type type = llvm_.GlobalGetValueType(from);
    std::string name = name_of(from);
    bool is_function = llvm_.GetTypeKind(type) == function_type;
    if (is_function)
      type = llvm_.FunctionType(llvm_.VoidTypeInContext(context_), nullptr, 0, false);
    Value copy = is_function ? llvm_.AddFunction(to, name.c_str(), type)
                             : llvm_.AddGlobal(to, type, name.c_str());
    copy_properties(from, copy, true);
    if (is_defined && !is_function) {
      Value value = llvm_.IsAGlobalVariable(from) ? llvm_.GetInitializer(from) : nullptr;
      bool is_plain = value && llvm_.GetNumOperands(value) == 0 && !llvm_.IsAGlobalObject(value);
      llvm_.SetInitializer(copy, is_plain ? value : llvm_.ConstNull(type));
    }
    return copy;
  }

  /// Gives a function code that refers to these.
  void fill_function(Value function, std::span<const Value> references) const {
    Builder builder = llvm_.CreateBuilderInContext(context_);
    llvm_.PositionBuilderAtEnd(builder, llvm_.AppendBasicBlockInContext(context_, function, ""));
    for (Value value : references)
      llvm_.SetVolatile(llvm_.BuildLoad2(builder, llvm_.Int8TypeInContext(context_), value, "load"),
                        true);
    llvm_.BuildRetVoid(builder);
    llvm_.DisposeBuilder(builder);
  }

  /// Makes a module that has all that other files may see of this one, and none of its code: its
  /// object has the symbols and types that a compiler would give it, whatever the backend refuses.
  LlvmModule make_outline(LlvmModule module) const {
    constexpr const char* units = "llvm.dbg.cu";
    LlvmModule outline = llvm_.ModuleCreateWithNameInContext("outline", context_);
    llvm_.SetTarget(outline, llvm_.GetTarget(module));
    llvm_.SetModuleDataLayout(outline, llvm_.GetModuleDataLayout(module));
    size_t size = 0;
    const char* assembly = llvm_.GetModuleInlineAsm(module, &size);
    llvm_.SetModuleInlineAsm2(outline, assembly, size);
    for (Value unit : named_metadata(module, units))
      llvm_.AddNamedMetadataOperand(outline, units, unit);
    std::vector<Value> references, functions;
    std::set<std::string> in_assembly = names_in_assembly(module);
    for_each_global(module, [&](Value value) {
      if (name_of(value).starts_with("llvm.")) return;
      bool is_defined =
          !llvm_.IsDeclaration(value) && llvm_.GetLinkage(value) != available_externally_linkage;
      // Local symbols are of interest to others if they are in a section of which there is one.
      bool is_used = llvm_.GetFirstUse(value) || in_assembly.contains(name_of(value));
      if (is_defined ? is_local(value) && section_of(value).empty() : !is_used) return;
      Value copy = copy_symbol(value, outline, is_defined);
      if (!is_defined)
        references.push_back(copy);
      else if (llvm_.IsAFunction(copy))
        functions.push_back(copy);
    });
    Type code = llvm_.FunctionType(llvm_.VoidTypeInContext(context_), nullptr, 0, false);
    for (const std::string& name : in_assembly)
      if (!find(module, name)) references.push_back(llvm_.AddFunction(outline, name.c_str(), code));
    // See needs_description().
    auto found = std::ranges::find_if(functions, [&](Value f) { return llvm_.GetSubprogram(f); });
    Value user = found != functions.end() ? *found : nullptr;
    if (!user && !references.empty()) {
      user = functions.emplace_back(llvm_.AddFunction(outline, "", code));
      llvm_.SetLinkage(user, internal_linkage);
    }
    for (Value function : functions)
      fill_function(function, function == user ? references : std::vector<Value>());
    return outline;
  }

  // ---- joining

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

  std::vector<Value> named_metadata(LlvmModule module, const char* name) const {
    std::vector<Value> operands(llvm_.GetNamedMetadataNumOperands(module, name));
    llvm_.GetNamedMetadataOperands(module, name, operands.data());
    return operands;
  }

  /// Gives flags that only matter to how LLVM's own linkers divide the work one value: files of
  /// -flto and -flto=thin have others, and could not be joined.
  void unify_flags(LlvmModule module) const {
    constexpr const char* list = "llvm.module.flags";
    constexpr unsigned key = 1, value = 2, size = 3;
    if (!llvm_.ReplaceMDNodeOperandWith) return;  // before LLVM 16
    Metadata zero =
        llvm_.ValueAsMetadata(llvm_.ConstInt(llvm_.Int32TypeInContext(context_), 0, false));
    for (Value flag : named_metadata(module, list)) {
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
    llvm_.SetSection(declaration, section_of(value).c_str());
    llvm_.ReplaceAllUsesWith(value, declaration);
    make_internal(value);
  }

  /// Notes who has a global of which name, and which static ones inline assembly names.
  void note_names(LlvmModule module) {
    std::set<std::string> in_assembly = names_in_assembly(module);
    for_each_global(module, [&](Value value) {
      auto [named, is_new] = names_.try_emplace(name_of(value), Named{index_, index_, false});
      named->second.last = index_;
      named->second.is_called_by_name |= is_local(value) && in_assembly.contains(named->first);
    });
    called_by_name_.merge(in_assembly);
  }

  /// LLVM renames what is static where another file has one of the name. Code in assembly would
  /// then use the other one.
  bool check_called_by_name() {
    for (const auto& [name, named] : names_) {
      if (!named.is_called_by_name || named.first == named.last) continue;
      index_ = named.last;
      report(fmt::format(
          "has a symbol {}, as {} does, and inline assembly uses that, a static one, by "
          "its name: rename one of them",
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

  std::unordered_set<Value> values_used_by_name(LlvmModule joined) const {
    std::unordered_set<Value> used;
    for (const char* list : lists_of_used)
      if (Value global = llvm_.GetNamedGlobal(joined, list))
        if (Value values = llvm_.GetInitializer(global))
          for (int i = 0; i < llvm_.GetNumOperands(values); ++i)
            used.insert(llvm_.GetOperand(values, static_cast<unsigned>(i)));
    for (const std::string& name : called_by_name_)
      if (Value value = find(joined, name)) used.insert(value);
    add_types_of_kfuncs(joined, used);
    return used;
  }

  /// Adds functions that nothing calls, and that call kernel functions: they are there for the
  /// types of those, as compilers write none for calls in inline assembly.
  void add_types_of_kfuncs(LlvmModule joined, std::unordered_set<Value>& used) const {
    for (Value f = llvm_.GetFirstFunction(joined); f; f = llvm_.GetNextFunction(f)) {
      if (!llvm_.IsDeclaration(f) || section_of(f) != ".ksyms") continue;
      for (Use use = llvm_.GetFirstUse(f); use; use = llvm_.GetNextUse(use))
        if (Value caller = llvm_.GetUser(use); llvm_.IsAInstruction(caller))
          if (Value in = llvm_.GetBasicBlockParent(llvm_.GetInstructionParent(caller));
              !llvm_.GetFirstUse(in))
            used.insert(in);
    }
  }

  /// Drops definitions that nothing needs, and makes those internal that nothing outside of the
  /// joined module needs, unless the source says so with __attribute__((used)) or ((retain)), or
  /// inline assembly names them. Others become what they were.
  bool make_internal(LlvmModule joined) {
    std::unordered_set<Value> used = values_used_by_name(joined);
    std::vector<std::pair<std::string_view, int>> visible;
    for (const Module& module : request_.modules)
      for (std::string_view symbol : module.internal) {
        Value value = find(joined, symbol);
        if (!value || llvm_.IsDeclaration(value) || is_local(value) || used.contains(value))
          continue;
        if (!section_of(value).empty()) continue;
        if (is_built_in(symbol)) {
          built_ins_.try_emplace(symbol, false);
          continue;
        }
        if (!request_.internalizes && llvm_.GetVisibility(value) == default_visibility)
          visible.emplace_back(symbol, llvm_.GetLinkage(value));
        make_internal(value);
      }
    for (std::string_view name : built_in_functions)
      if (Value value = find(joined, name); value && !llvm_.IsDeclaration(value))
        defined_built_ins_.insert(name);
    if (!run_passes(joined, "globaldce")) return false;
    for (auto [symbol, linkage] : visible)
      if (Value value = find(joined, symbol)) llvm_.SetLinkage(value, linkage);
    return true;
  }

  /// LLVM describes maps in their order, and what an inner map holds only if it has not seen the
  /// map before, behind a pointer.
  void put_outer_maps_last(LlvmModule module) const {
    std::vector<Value> outer;
    for (Value map = llvm_.GetFirstGlobal(module); map; map = llvm_.GetNextGlobal(map))
      if (Value value = llvm_.GetInitializer(map); value && section_of(map) == ".maps")
        if (!llvm_.IsNull(value)) outer.push_back(map);
    for (Value map : outer) {
      std::string name = name_of(map);
      rename(map, name + ".before");
      Value copy = llvm_.AddGlobal(module, llvm_.GlobalGetValueType(map), name.c_str());
      copy_properties(map, copy, false);
      llvm_.SetAlignment(copy, llvm_.GetAlignment(map));
      llvm_.SetInitializer(copy, llvm_.GetInitializer(map));
      llvm_.ReplaceAllUsesWith(map, copy);
      llvm_.DeleteGlobal(map);
    }
  }

  /// Drops the built-in functions that code generation does not call: a trial shows which it does.
  bool drop_built_ins(LlvmModule joined) {
    if (built_ins_.empty()) return true;
    LlvmModule copy = llvm_.CloneModule(joined);
    if (Buffer buffer = generate(copy, object_file)) llvm_.DisposeMemoryBuffer(buffer);
    llvm_.DisposeModule(copy);
    for (const auto& [name, is_called] : built_ins_)
      if (Value value = find(joined, name)) {
        if (!is_called)
          make_internal(value);
        else if (request_.internalizes)
          llvm_.SetVisibility(value, hidden_visibility);  // it is checked with its callers
      }
    return !failed_ && run_passes(joined, "globaldce");
  }

  // ---- code

  /// Optimizes a copy of the module. Null after an error.
  ///
  /// LLVM passes the members of a struct in place of a pointer to it where it knows all calls.
  /// These may be more than five, which kernels do not take, and others than those of BTF. It does
  /// so, and inlines, only between functions that say they are for the same features, which nothing
  /// else reads: functions that got parameters say otherwise in another attempt.
  LlvmModule optimize(LlvmModule module) {
    for (;;) {
      LlvmModule copy = llvm_.CloneModule(module);
      if (!run_passes(copy, fmt::format("forceattrs,lto<O{}>", request_.level))) return nullptr;
      bool is_done = true;
      for (Value f = llvm_.GetFirstFunction(copy); f; f = llvm_.GetNextFunction(f)) {
        if (!has_more_parameters_than_types(f)) continue;
        std::string name = name_of(f);
        name.resize(std::min(name.find(".specialized"), name.size()));
        Value original = llvm_.GetNamedFunction(module, name.c_str());
        if (!original || attribute(original, features) == own_features) continue;
        llvm_.AddTargetDependentFunctionAttr(original, features, own_features);
        is_done = false;
      }
      if (is_done) return copy;
      llvm_.DisposeModule(copy);
    }
  }

  bool has_more_parameters_than_types(Value function) const {
    constexpr unsigned type = 4, of_result = 1;
    unsigned most = 5;
    Metadata subprogram = llvm_.GetSubprogram(function);
    if (llvm_.IsDeclaration(function) || !subprogram) return false;
    Value node = operand(llvm_.MetadataAsValue(context_, subprogram), type);
    unsigned size = node ? llvm_.GetMDNodeNumOperands(node) : 0;
    if (Value types = size > 0 ? operand(node, size - 1) : nullptr)
      if (unsigned count = llvm_.GetMDNodeNumOperands(types); count > 0) most = count - of_result;
    return llvm_.CountParams(function) > most;
  }

  bool is_of_rust(LlvmModule module) const {
    for (Value unit : named_metadata(module, "llvm.dbg.cu"))
      for (unsigned i = 0; i < llvm_.GetMDNodeNumOperands(unit); ++i) {
        unsigned length = 0;
        Value producer = operand(unit, i);
        const char* text = producer ? llvm_.GetMDString(producer, &length) : nullptr;
        if (text && std::string_view(text, length).contains("rustc version")) return true;
      }
    return false;
  }

  /// Replaces it in metadata, whose lines begin with an exclamation mark: a program may hold any
  /// text.
  static bool replace_all(std::string& text, std::string_view old, std::string_view with) {
    bool is_changed = false;
    for (size_t at = 0; (at = text.find(old, at)) != text.npos; at += old.size()) {
      if (text[text.rfind('\n', at) + 1] != '!') continue;
      text.replace(at, old.size(), with);
      is_changed = true;
    }
    return is_changed;
  }

  /// LLVM has no type for Rust's characters, and none for functions of which rustc describes
  /// nothing (debug = 1): it leaves what refers to one without a value. As text, the ones become
  /// numbers, the others functions without parameters.
  LlvmModule describe_rust(LlvmModule module) {
    if (!module || !is_of_rust(module)) return module;
    char* printed = llvm_.PrintModuleToString(module);
    std::string text = printed;
    llvm_.DisposeMessage(printed);
    bool is_changed = replace_all(text, "encoding: DW_ATE_UTF", "encoding: DW_ATE_unsigned");
    if (size_t end = text.find(" = !{}\n"); end != text.npos) {
      size_t begin = text.rfind('\n', end) + 1;
      std::string nothing = text.substr(begin, end - begin);
      is_changed |= replace_all(text, fmt::format("types: {})", nothing), "types: !{null})");
    }
    if (!is_changed) return module;
    Buffer buffer = llvm_.CreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "lto");
    LlvmModule changed = nullptr;
    char* message = nullptr;
    if (llvm_.ParseIRInContext(context_, buffer, &changed, &message) == 0) return changed;
    warn(message);
    llvm_.DisposeMessage(message);
    return module;
  }

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
      Cpu cpu{attribute(f, "target-cpu"), attribute(f, features), index_};
      if (cpu.name.empty()) cpu.name = default_cpu();
      if (cpu.name == request_.yielding_cpu) continue;
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

  /// Functions are optimized together if they are for one processor by their text, and here all
  /// are.
  void forget_cpu(LlvmModule module) const {
    for (Value f = llvm_.GetFirstFunction(module); f; f = llvm_.GetNextFunction(f))
      for (std::string_view name : {"target-cpu", features, "tune-cpu"})
        llvm_.RemoveStringAttributeAtIndex(f, function_index, name.data(),
                                           static_cast<unsigned>(name.size()));
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
    Cpu cpu = cpu_.value_or(Cpu{std::string(request_.yielding_cpu), ""});
    if (!request_.cpu.empty()) cpu = {std::string(request_.cpu), std::string(request_.features)};
    return llvm_.CreateTargetMachine(target, triple, cpu.name.c_str(), cpu.features.c_str(),
                                     std::max(static_cast<int>(request_.level), 1), default_reloc,
                                     default_code_model);
  }

  bool run_passes(LlvmModule module, const std::string& passes) {
    Machine machine = make_machine(module);
    if (!machine) return false;
    PassOptions options = llvm_.CreatePassBuilderOptions();
    if (Failure failure = llvm_.RunPasses(module, passes.c_str(), machine, options)) {
      char* message = llvm_.GetErrorMessage(failure);
      report(message);
      llvm_.DisposeErrorMessage(message);
    }
    llvm_.DisposePassBuilderOptions(options);
    llvm_.DisposeTargetMachine(machine);
    return !failed_;
  }

  /// Null after an error.
  Buffer generate(LlvmModule module, FileType type) {
    Machine machine = make_machine(module);
    if (!machine) return nullptr;
    char* message = nullptr;
    Buffer buffer = nullptr;
    if (llvm_.TargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer) != 0) {
      report(message);
      llvm_.DisposeMessage(message);
    }
    llvm_.DisposeTargetMachine(machine);
    return failed_ ? nullptr : buffer;
  }

  void emit(LlvmModule module, LinkOptions::Emit what) {
    using enum LinkOptions::Emit;
    switch (what) {
      case Bitcode:
        return show(PartKind::Output, module);
      case Ir:
        return answer_({PartKind::Output, index_, llvm_.PrintModuleToString(module)});
      case Object:
      case Assembly:
        if (Buffer buffer = generate(module, what == Object ? object_file : assembly_file))
          answer(PartKind::Output, buffer);
    }
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
  std::map<std::string, Named> names_;
  std::set<std::string> called_by_name_;  ///< in inline assembly
  /// Definitions of built-in functions that need not stay, and whether code generation calls them
  std::map<std::string_view, bool> built_ins_;
  std::set<std::string_view> defined_built_ins_;
  std::vector<Joined> joined_;  ///< the modules so far, as compile_joined() joins them
  bool failed_ = false;
  bool is_foreign_ = false;  ///< whether the module at work was for another machine
};

}  // namespace

void outline_each(const Llvm& llvm, const Request& request, const Answer& answer) {
  Compiler(llvm, request, answer).outline_each();
}

void compile_joined(const Llvm& llvm, const Request& request, const Answer& answer) {
  Compiler(llvm, request, answer).compile_joined();
}

}  // namespace bpflink::lto
