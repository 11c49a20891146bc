// Outlines: modules with the symbols and types of others, and without code.
//
// Before LLVM can join modules, the link has to know what they define, miss and declare: which
// members of archives it needs, which definitions win, whether types agree. Of an object, all that
// is there to read. So each module gets an object of its own, from an outline of it: functions that
// return 0, variables, debug information, and one function that refers to what the module misses.
// As it has none of the code, it has none that a backend refuses.
#include <algorithm>
#include <span>

#include "linker/lto/session.hpp"

namespace bpflink::lto {
namespace {

class Outliner {
 public:
  Outliner(const Ir& ir, LlvmModule module)
      : ir_(ir),
        module_(module),
        outline_(llvm_.ModuleCreateWithNameInContext("outline", ir.context)),
        number_(llvm_.Int64TypeInContext(ir.context)),
        code_(llvm_.FunctionType(number_, nullptr, 0, false)) {}

  LlvmModule make() {
    constexpr const char* units = "llvm.dbg.cu";
    llvm_.SetTarget(outline_, llvm_.GetTarget(module_));
    llvm_.SetModuleDataLayout(outline_, llvm_.GetModuleDataLayout(module_));
    size_t size = 0;
    const char* assembly = llvm_.GetModuleInlineAsm(module_, &size);
    llvm_.SetModuleInlineAsm2(outline_, assembly, size);
    for (Value unit : ir_.named_metadata(module_, units))
      llvm_.AddNamedMetadataOperand(outline_, units, unit);
    const std::set<std::string> in_assembly = ir_.names_in_assembly(module_);
    ir_.for_each_global(module_, [&](Value value) {
      std::string name = ir_.name_of(value);
      if (name.starts_with("llvm.")) return;
      bool is_defined =
          !llvm_.IsDeclaration(value) && llvm_.GetLinkage(value) != available_externally_linkage;
      if (is_defined) {
        // Local symbols are of interest to others if they are in a section of which there is one.
        if (!ir_.is_local(value) || !ir_.section_of(value).empty()) copy_definition(value);
      } else if (llvm_.GetFirstUse(value) || in_assembly.contains(name)) {
        references_.push_back(copy(value));
      }
    });
    for (const std::string& name : in_assembly)
      if (!ir_.find(module_, name)) references_.push_back(ir_.add_global(outline_, name, code_));
    fill_functions();
    return outline_;
  }

 private:
  /// Whether debug information describes a global under the name of its symbol. Names that Rust and
  /// C++ mangle have the types in them.
  bool has_plain_name(Value global, Metadata description) const {
    Value node = llvm_.MetadataAsValue(ir_.context, description);
    bool is_function = llvm_.IsAFunction(global) != nullptr;
    if (!is_function) node = ir_.operand(node, 0);  // behind an expression
    return node && ir_.name_of(global) == ir_.text(ir_.operand(node, is_function ? 2 : 1));
  }

  /// LLVM before 16 crashes at functions without one, in a module that has some.
  bool needs_description(Value global) const {
    constexpr unsigned mended = 16;
    return llvm_.IsAFunction(global) && llvm_.version < mended;
  }

  /// Makes a function without code, or a variable, of the same symbol and type.
  Value copy(Value from) const {
    constexpr unsigned dbg = 0;
    Type type = llvm_.GlobalGetValueType(from);
    Value to = ir_.add_global(outline_, ir_.name_of(from),
                              llvm_.GetTypeKind(type) == function_type ? code_ : type);
    ir_.copy_properties(from, to);
    if (Metadata description = ir_.description_of(from))
      if (has_plain_name(from, description) || needs_description(from))
        llvm_.GlobalSetMetadata(to, dbg, description);
    return to;
  }

  void copy_definition(Value from) {
    Value to = copy(from);
    if (llvm_.IsAFunction(to)) return functions_.push_back(to);
    Value value = llvm_.IsAGlobalVariable(from) ? llvm_.GetInitializer(from) : nullptr;
    bool is_plain = value && llvm_.GetNumOperands(value) == 0 && !llvm_.IsAGlobalObject(value);
    llvm_.SetInitializer(to, is_plain ? value : llvm_.ConstNull(llvm_.GlobalGetValueType(from)));
  }

  /// Gives the functions code, one of them, or another one, with references to what is not defined.
  void fill_functions() {
    // See needs_description().
    auto found = std::ranges::find_if(functions_, [&](Value f) { return llvm_.GetSubprogram(f); });
    Value user = found != functions_.end() ? *found : nullptr;
    if (!user && !references_.empty()) {
      user = functions_.emplace_back(ir_.add_global(outline_, "", code_));
      llvm_.SetLinkage(user, internal_linkage);
    }
    Builder builder = llvm_.CreateBuilderInContext(ir_.context);
    for (Value function : functions_) {
      Block block = llvm_.AppendBasicBlockInContext(ir_.context, function, "");
      llvm_.PositionBuilderAtEnd(builder, block);
      if (function == user)
        for (Value value : references_)
          llvm_.SetVolatile(llvm_.BuildLoad2(builder, number_, value, "load"), true);
      llvm_.BuildRet(builder, llvm_.ConstNull(number_));
    }
  }

  const Ir& ir_;
  const Llvm& llvm_ = ir_.llvm;
  LlvmModule module_, outline_;
  Type number_;
  /// Of all functions of the outline. Where code returns nothing, newer versions of LLVM (24)
  /// describe a function that returns nothing, whatever its source says.
  Type code_;
  std::vector<Value> references_, functions_;  ///< in the outline
};

}  // namespace

LlvmModule make_outline(const Ir& ir, LlvmModule module) {
  return Outliner(ir, module).make();
}

}  // namespace bpflink::lto
