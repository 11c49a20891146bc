// The functions of LLVM's C interface (llvm-c/*.h) that bpflink-lto calls, in the library that it
// loads. The interface is the same in all releases since LLVM 14, but for what it adds.
#pragma once

#include <cstddef>
#include <expected>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink::lto {

/// Handles of LLVM.
using Context = struct LLVMOpaqueContext*;
using LlvmModule = struct LLVMOpaqueModule*;
using Value = struct LLVMOpaqueValue*;
using Use = struct LLVMOpaqueUse*;
using Type = struct LLVMOpaqueType*;
using Attribute = struct LLVMOpaqueAttributeRef*;
using Block = struct LLVMOpaqueBasicBlock*;
using Builder = struct LLVMOpaqueBuilder*;
using MetadataEntry = struct LLVMOpaqueValueMetadataEntry;
using Comdat = struct LLVMComdat*;
using Buffer = struct LLVMOpaqueMemoryBuffer*;
using Target = struct LLVMTarget*;
using DataLayout = struct LLVMOpaqueTargetData*;
using Machine = struct LLVMOpaqueTargetMachine*;
using PassOptions = struct LLVMOpaquePassBuilderOptions*;
using Failure = struct LLVMOpaqueError*;
using Metadata = struct LLVMOpaqueMetadata*;
using DiagnosticInfo = struct LLVMOpaqueDiagnosticInfo*;
using FatalErrorHandler = void (*)(const char*);
using DiagnosticHandler = void (*)(DiagnosticInfo, void*);

/// Values of its enumerations.
constexpr int external_linkage = 0, available_externally_linkage = 1;
constexpr int weak_odr_linkage = 6, internal_linkage = 8, private_linkage = 9;
constexpr int default_visibility = 0, hidden_visibility = 1;
constexpr int function_type = 9;
enum Severity : int { severity_error = 0, severity_warning = 1 };
enum FileType : int { assembly_file = 0, object_file = 1 };
enum ByteOrdering : int { big_endian = 0, little_endian = 1 };
constexpr int return_status = 2;  // of what is verified
constexpr unsigned function_index = ~0u;

// name, result, parameters
#define BPFLINK_LLVM_FUNCTIONS(X)                                                                 \
  X(ContextCreate, Context, ())                                                                   \
  X(ParseCommandLineOptions, void, (int, const char* const*, const char*))                        \
  X(ContextSetDiagnosticHandler, void, (Context, DiagnosticHandler, void*))                       \
  X(GetDiagInfoDescription, char*, (DiagnosticInfo))                                              \
  X(GetDiagInfoSeverity, int, (DiagnosticInfo))                                                   \
  X(DisposeMessage, void, (char*))                                                                \
  X(CreateMemoryBufferWithMemoryRange, Buffer, (const char*, size_t, const char*, int))           \
  X(CreateMemoryBufferWithMemoryRangeCopy, Buffer, (const char*, size_t, const char*))            \
  X(GetBufferStart, const char*, (Buffer))                                                        \
  X(GetBufferSize, size_t, (Buffer))                                                              \
  X(ParseBitcodeInContext2, int, (Context, Buffer, LlvmModule*))                                  \
  X(DisposeModule, void, (LlvmModule))                                                            \
  X(SetModuleIdentifier, void, (LlvmModule, const char*, size_t))                                 \
  X(GetTarget, const char*, (LlvmModule))                                                         \
  X(SetTarget, void, (LlvmModule, const char*))                                                   \
  X(GetModuleDataLayout, DataLayout, (LlvmModule))                                                \
  X(SetModuleDataLayout, void, (LlvmModule, DataLayout))                                          \
  X(CreateTargetDataLayout, DataLayout, (Machine))                                                \
  X(ByteOrder, int, (DataLayout))                                                                 \
  X(PointerSize, unsigned, (DataLayout))                                                          \
  X(ABIAlignmentOfType, unsigned, (DataLayout, Type))                                             \
  X(Int64TypeInContext, Type, (Context))                                                          \
  X(RemoveStringAttributeAtIndex, void, (Value, unsigned, const char*, unsigned))                 \
  X(GetFirstFunction, Value, (LlvmModule))                                                        \
  X(GetNextFunction, Value, (Value))                                                              \
  X(GetFirstGlobal, Value, (LlvmModule))                                                          \
  X(GetNextGlobal, Value, (Value))                                                                \
  X(GetFirstGlobalAlias, Value, (LlvmModule))                                                     \
  X(GetNextGlobalAlias, Value, (Value))                                                           \
  X(GetNamedFunction, Value, (LlvmModule, const char*))                                           \
  X(GetNamedGlobal, Value, (LlvmModule, const char*))                                             \
  X(GetNamedGlobalAlias, Value, (LlvmModule, const char*, size_t))                                \
  X(GlobalGetValueType, Type, (Value))                                                            \
  X(GetValueName2, const char*, (Value, size_t*))                                                 \
  X(SetValueName2, void, (Value, const char*, size_t))                                            \
  X(IsDeclaration, int, (Value))                                                                  \
  X(IsAFunction, Value, (Value))                                                                  \
  X(GetFirstUse, Use, (Value))                                                                    \
  X(GetLinkage, int, (Value))                                                                     \
  X(IsAGlobalObject, Value, (Value))                                                              \
  X(GetTypeKind, int, (Type))                                                                     \
  X(GetEnumAttributeKindForName, unsigned, (const char*, size_t))                                 \
  X(GetEnumAttributeAtIndex, Attribute, (Value, unsigned, unsigned))                              \
  X(SetLinkage, void, (Value, int))                                                               \
  X(SetVisibility, void, (Value, int))                                                            \
  X(SetComdat, void, (Value, Comdat))                                                             \
  X(AddFunction, Value, (LlvmModule, const char*, Type))                                          \
  X(AddGlobal, Value, (LlvmModule, Type, const char*))                                            \
  X(SetSection, void, (Value, const char*))                                                       \
  X(GetSection, const char*, (Value))                                                             \
  X(ReplaceAllUsesWith, void, (Value, Value))                                                     \
  X(GetInitializer, Value, (Value))                                                               \
  X(GetNumOperands, int, (Value))                                                                 \
  X(GetOperand, Value, (Value, unsigned))                                                         \
  X(GetStringAttributeAtIndex, Attribute, (Value, unsigned, const char*, unsigned))               \
  X(GetStringAttributeValue, const char*, (Attribute, unsigned*))                                 \
  X(LinkModules2, int, (LlvmModule, LlvmModule))                                                  \
  X(WriteBitcodeToMemoryBuffer, Buffer, (LlvmModule))                                             \
  X(CreatePassBuilderOptions, PassOptions, ())                                                    \
  X(RunPasses, Failure, (LlvmModule, const char*, Machine, PassOptions))                          \
  X(GetErrorMessage, char*, (Failure))                                                            \
  X(GetTargetFromTriple, int, (const char*, Target*, char**))                                     \
  X(CreateTargetMachine, Machine, (Target, const char*, const char*, const char*, int, int, int)) \
  X(TargetMachineEmitToMemoryBuffer, int, (Machine, LlvmModule, int, char**, Buffer*))            \
  X(InitializeBPFTargetInfo, void, ())                                                            \
  X(InitializeBPFTarget, void, ())                                                                \
  X(InitializeBPFTargetMC, void, ())                                                              \
  X(InitializeBPFAsmPrinter, void, ())                                                            \
  X(InitializeBPFAsmParser, void, ())                                                             \
  X(ModuleCreateWithNameInContext, LlvmModule, (const char*, Context))                            \
  X(GetModuleInlineAsm, const char*, (LlvmModule, size_t*))                                       \
  X(SetModuleInlineAsm2, void, (LlvmModule, const char*, size_t))                                 \
  X(AddNamedMetadataOperand, void, (LlvmModule, const char*, Value))                              \
  X(MetadataAsValue, Value, (Context, Metadata))                                                  \
  X(GlobalCopyAllMetadata, MetadataEntry*, (Value, size_t*))                                      \
  X(ValueMetadataEntriesGetMetadata, Metadata, (MetadataEntry*, unsigned))                        \
  X(ValueMetadataEntriesGetKind, unsigned, (MetadataEntry*, unsigned))                            \
  X(GlobalSetMetadata, void, (Value, unsigned, Metadata))                                         \
  X(FunctionType, Type, (Type, Type*, unsigned, int))                                             \
  X(GetVisibility, int, (Value))                                                                  \
  X(IsGlobalConstant, int, (Value))                                                               \
  X(SetGlobalConstant, void, (Value, int))                                                        \
  X(IsAGlobalVariable, Value, (Value))                                                            \
  X(SetInitializer, void, (Value, Value))                                                         \
  X(ConstNull, Value, (Type))                                                                     \
  X(AppendBasicBlockInContext, Block, (Context, Value, const char*))                              \
  X(CreateBuilderInContext, Builder, (Context))                                                   \
  X(PositionBuilderAtEnd, void, (Builder, Block))                                                 \
  X(BuildLoad2, Value, (Builder, Type, Value, const char*))                                       \
  X(SetVolatile, void, (Value, int))                                                              \
  X(BuildRet, Value, (Builder, Value))                                                            \
  X(GetFirstBasicBlock, Block, (Value))                                                           \
  X(GetNextBasicBlock, Block, (Block))                                                            \
  X(GetFirstInstruction, Value, (Block))                                                          \
  X(GetNextInstruction, Value, (Value))                                                           \
  X(GetInstructionOpcode, int, (Value))                                                           \
  X(GetCalledValue, Value, (Value))                                                               \
  X(IsAInlineAsm, Value, (Value))                                                                 \
  X(PrintValueToString, char*, (Value))                                                           \
  X(GetNextUse, Use, (Use))                                                                       \
  X(GetUser, Value, (Use))                                                                        \
  X(IsAInstruction, Value, (Value))                                                               \
  X(GetInstructionParent, Block, (Value))                                                         \
  X(GetBasicBlockParent, Value, (Block))                                                          \
  X(CloneModule, LlvmModule, (LlvmModule))                                                        \
  X(RemoveEnumAttributeAtIndex, void, (Value, unsigned, unsigned))                                \
  X(GetSubprogram, Metadata, (Value))                                                             \
  X(CountParams, unsigned, (Value))                                                               \
  X(IsNull, int, (Value))                                                                         \
  X(GetAlignment, unsigned, (Value))                                                              \
  X(SetAlignment, void, (Value, unsigned))                                                        \
  X(DeleteGlobal, void, (Value))                                                                  \
  X(PrintModuleToString, char*, (LlvmModule))                                                     \
  X(ParseIRInContext, int, (Context, Buffer, LlvmModule*, char**))                                \
  X(GetNamedMetadataNumOperands, unsigned, (LlvmModule, const char*))                             \
  X(GetNamedMetadataOperands, void, (LlvmModule, const char*, Value*))                            \
  X(GetMDNodeNumOperands, unsigned, (Value))                                                      \
  X(GetMDNodeOperands, void, (Value, Value*))                                                     \
  X(GetMDString, const char*, (Value, unsigned*))                                                 \
  X(MDStringInContext2, Metadata, (Context, const char*, size_t))                                 \
  X(ValueAsMetadata, Metadata, (Value))                                                           \
  X(GetDebugLocFilename, const char*, (Value, unsigned*))                                         \
  X(GetDebugLocLine, unsigned, (Value))                                                           \
  X(GetDebugLocColumn, unsigned, (Value))                                                         \
  X(InstallFatalErrorHandler, void, (FatalErrorHandler))                                          \
  X(ResetFatalErrorHandler, void, ())                                                             \
  X(GetBitcodeModuleInContext2, int, (Context, Buffer, LlvmModule*))                              \
  X(VerifyModule, int, (LlvmModule, int, char**))                                                 \
  X(VerifyFunction, int, (Value, int))                                                            \
  X(Int32TypeInContext, Type, (Context))

struct Llvm {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define X(name, result, parameters) result(*name) parameters = nullptr;
  BPFLINK_LLVM_FUNCTIONS(X)
#undef X
  void (*ReplaceMDNodeOperandWith)(Value, unsigned, Metadata) = nullptr;  ///< null before LLVM 16
  unsigned version = 0;                                                   ///< its major version
  std::string file;                                                       ///< its library
};

/// No release for which this looks is newer.
inline constexpr unsigned newest_possible = 60;

/// Loads LLVM from `file`; if that is empty, from `first`, and if that cannot be loaded or is older
/// than `oldest`, the newest that is installed and not older. Errors: there is none; it cannot be
/// loaded; it has no backend for BPF.
std::expected<Llvm, Error> load_llvm(const std::string& file, const std::string& first,
                                     unsigned oldest);

}  // namespace bpflink::lto
