// Optimizes the joined module as one program. Resolution has said which definitions nothing outside
// of it needs. What LLVM would make of it that kernels and loaders do not take is undone, or not
// allowed.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "linker/lto/session.hpp"

namespace bpflink::lto {
namespace {

class Optimizer {
 public:
  explicit Optimizer(Session& session) : session_(session) {}

  LlvmModule run(LlvmModule joined) {
    if (!make_internal(joined)) return nullptr;
    if (session_.options.lto_save_temps) session_.show(PartKind::Joined, joined);
    if (!optimize(joined)) return nullptr;
    put_outer_maps_last(joined);
    return make_internal(joined) && drop_built_ins(joined) ? joined : nullptr;
  }

 private:
  // ---- what may go

  /// Drops definitions that nothing needs, and makes those internal that nothing outside of the
  /// joined module needs, unless the source says so with __attribute__((used)) or ((retain)), or
  /// inline assembly names them. Others become what they were.
  bool make_internal(LlvmModule joined) {
    std::unordered_set<Value> used = values_used_by_name(joined);
    std::vector<std::pair<std::string_view, int>> visible;
    for (const Module& module : session_.request.modules)
      for (std::string_view symbol : module.internal) {
        Value value = ir_.find(joined, symbol);
        if (!value || llvm_.IsDeclaration(value) || ir_.is_local(value) || used.contains(value))
          continue;
        if (!ir_.section_of(value).empty()) continue;
        if (is_built_in(symbol)) {
          built_ins_.insert(symbol);
          continue;
        }
        if (!session_.options.lto_internalize && llvm_.GetVisibility(value) == default_visibility)
          visible.emplace_back(symbol, llvm_.GetLinkage(value));
        ir_.make_internal(value);
      }
    for (std::string_view name : built_in_functions)
      if (Value value = ir_.find(joined, name); value && !llvm_.IsDeclaration(value))
        session_.defined_built_ins.emplace(name);
    if (!session_.run_passes(joined, "globaldce")) return false;
    for (auto [symbol, linkage] : visible)
      if (Value value = ir_.find(joined, symbol)) llvm_.SetLinkage(value, linkage);
    return true;
  }

  std::unordered_set<Value> values_used_by_name(LlvmModule joined) const {
    std::unordered_set<Value> used;
    for (const char* list : {"llvm.used", "llvm.compiler.used"})
      if (Value global = llvm_.GetNamedGlobal(joined, list))
        if (Value values = llvm_.GetInitializer(global))
          for (int i = 0; i < llvm_.GetNumOperands(values); ++i)
            used.insert(llvm_.GetOperand(values, static_cast<unsigned>(i)));
    for (const std::string& name : session_.named_by_assembly)
      if (Value value = ir_.find(joined, name)) used.insert(value);
    add_types_of_kfuncs(joined, used);
    return used;
  }

  /// Adds functions that nothing calls, and that call kernel functions: they are there for the
  /// types of those, as compilers write none for calls in inline assembly.
  void add_types_of_kfuncs(LlvmModule joined, std::unordered_set<Value>& used) const {
    ir_.for_each_function(joined, [&](Value f) {
      if (!llvm_.IsDeclaration(f) || ir_.section_of(f) != ".ksyms") return;
      for (Use use = llvm_.GetFirstUse(f); use; use = llvm_.GetNextUse(use))
        if (Value caller = llvm_.GetUser(use); llvm_.IsAInstruction(caller))
          if (Value in = llvm_.GetBasicBlockParent(llvm_.GetInstructionParent(caller));
              !llvm_.GetFirstUse(in))
            used.insert(in);
    });
  }

  /// Drops the built-in functions that code generation does not call. A trial without them shows
  /// which it does: by the errors of LLVM before 23, and by the calls.
  bool drop_built_ins(LlvmModule joined) {
    if (built_ins_.empty()) return true;
    LlvmModule copy = llvm_.CloneModule(joined);
    for (std::string_view name : built_ins_)
      if (Value value = ir_.find(copy, name)) ir_.make_internal(value);
    Buffer buffer =
        session_.run_passes(copy, "globaldce") ? session_.generate(copy, assembly_file) : nullptr;
    if (!buffer) return false;
    const std::string_view text(llvm_.GetBufferStart(buffer), llvm_.GetBufferSize(buffer));
    for (std::string_view name : built_ins_) {
      Value value = ir_.find(joined, name);
      if (!value) continue;
      const bool is_called = !ir_.find(copy, name) && text.contains(fmt::format("call {}\n", name));
      if (!is_called && !session_.called_built_ins.contains(name))
        ir_.make_internal(value);
      else if (session_.options.lto_internalize)
        llvm_.SetVisibility(value, hidden_visibility);  // it is checked with its callers
    }
    llvm_.DisposeModule(copy);
    return session_.run_passes(joined, "globaldce");
  }

  // ---- what LLVM must not make of it

  /// Optimizes the module. Returns whether that was without an error.
  ///
  /// What LLVM does within a file, it does better here, where functions of other files are inlined;
  /// its pipelines for whole programs do not so, or merge loads from packets, of which verifiers
  /// then know no bounds. From its third level on, it passes the members of a struct in place of a
  /// pointer to it. These may be more than five, which kernels do not take, and others than those
  /// of BTF.
  bool optimize(LlvmModule module) const {
    const std::vector<std::string> global = hide_bodies(module);
    const unsigned level = std::min(session_.options.lto_level, 2U);
    if (!session_.run_passes(module, level == 0 ? "forceattrs,lto<O0>"
                                                : fmt::format("forceattrs,default<O{}>", level)))
      return false;
    for (const std::string& name : global)
      llvm_.SetLinkage(ir_.find(module, name), external_linkage);
    return true;
  }

  /// Verifiers check global functions on their own, and other programs replace them: who calls them
  /// may rely on their prototypes alone. As definitions that may become others of the same meaning,
  /// they are inlined, and LLVM infers nothing from them. What compilers have inferred goes.
  /// Returns the names of those that were no such definitions.
  ///
  /// The backend refuses functions that return a struct through a pointer and say so. Of others
  /// than global ones, that need not be known.
  std::vector<std::string> hide_bodies(LlvmModule module) const {
    constexpr std::string_view inferred =
        "argmemonly captures dead_on_return dereferenceable "
        "dereferenceable_or_null inaccessiblemem_or_argmemonly "
        "inaccessiblememonly initializes memory noalias nocapture nofree nonnull "
        "norecurse noreturn nosync range readnone readonly returned willreturn "
        "writeonly";
    constexpr std::string_view through_pointer = "sret";
    std::vector<std::string> names;
    ir_.for_each_function(module, [&](Value f) {
      const bool is_global = llvm_.GetLinkage(f) == external_linkage;
      if (llvm_.IsDeclaration(f) || (!is_global && !ir_.is_local(f))) return;
      if (is_global) {
        names.push_back(ir_.name_of(f));
        llvm_.SetLinkage(f, weak_odr_linkage);
      }
      // At the function (~0), its result (0) and its parameters
      const unsigned count = llvm_.CountParams(f) + 2;
      for (auto part : std::views::split(is_global ? inferred : through_pointer, ' '))
        if (unsigned kind = llvm_.GetEnumAttributeKindForName(part.data(), part.size()))
          for (unsigned i = 0; i < count; ++i) llvm_.RemoveEnumAttributeAtIndex(f, i - 1, kind);
    });
    return names;
  }

  /// LLVM describes maps in their order, and what an inner map holds only if it has not seen the
  /// map before, behind a pointer.
  void put_outer_maps_last(LlvmModule module) const {
    constexpr unsigned dbg = 0;
    std::vector<Value> outer;
    for (Value map = llvm_.GetFirstGlobal(module); map; map = llvm_.GetNextGlobal(map))
      if (Value value = llvm_.GetInitializer(map); value && ir_.section_of(map) == ".maps")
        if (!llvm_.IsNull(value)) outer.push_back(map);
    for (Value map : outer) {
      std::string name = ir_.name_of(map);
      ir_.rename(map, name + ".before");
      Value copy = ir_.add_global(module, name, llvm_.GlobalGetValueType(map));
      ir_.copy_properties(map, copy);
      if (Metadata description = ir_.description_of(map))
        llvm_.GlobalSetMetadata(copy, dbg, description);
      llvm_.SetAlignment(copy, llvm_.GetAlignment(map));
      llvm_.SetInitializer(copy, llvm_.GetInitializer(map));
      llvm_.ReplaceAllUsesWith(map, copy);
      llvm_.DeleteGlobal(map);
    }
  }

  Session& session_;
  const Ir& ir_ = session_.ir;
  const Llvm& llvm_ = session_.llvm;
  std::set<std::string_view> built_ins_;  ///< definitions of those that need not stay
};

}  // namespace

LlvmModule optimize(Session& session, LlvmModule joined) {
  return Optimizer(session).run(joined);
}

}  // namespace bpflink::lto
