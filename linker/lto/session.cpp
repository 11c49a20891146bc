#include "linker/lto/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "linker/files/bitcode.hpp"

namespace bpflink::lto {

Session* Session::reading_;

Session::Session(const Llvm& llvm, const Request& request)
    : llvm(llvm), request(request), options(request.options) {
  llvm.InitializeBPFTargetInfo();
  llvm.InitializeBPFTarget();
  llvm.InitializeBPFTargetMC();
  llvm.InitializeBPFAsmPrinter();
  llvm.InitializeBPFAsmParser();
}

void Session::start() {
  failed_ = false;
  ir.context = llvm.ContextCreate();
  llvm.ContextSetDiagnosticHandler(
      ir.context,
      [](DiagnosticInfo info, void* self) { static_cast<Session*>(self)->handle(info); }, this);
}

void Session::handle(DiagnosticInfo info) {
  int severity = llvm.GetDiagInfoSeverity(info);
  if (severity > severity_warning) return;
  std::string_view text = llvm.GetDiagInfoDescription(info);
  bool is_warning = severity == severity_warning;
  if (is_warning || !is_call_of_built_in(text)) {
    failed_ |= !is_warning;
    auto [module, said] = assembly.locate(index, text);
    answer({is_warning ? PartKind::Warning : PartKind::Error, module, said});
  }
}

/// The backend has an error for calls that code generation itself makes. Those of functions that
/// the modules define are as good as others.
bool Session::is_call_of_built_in(std::string_view message) {
  constexpr std::string_view words = "A call to built-in function '";
  size_t at = message.find(words);
  if (at == message.npos) return false;
  message.remove_prefix(at + words.size());
  auto name = called_built_ins.emplace(message.substr(0, message.find('\''))).first;
  return defined_built_ins.contains(*name);
}

void Session::report(std::string_view text) {
  failed_ = true;
  answer({PartKind::Error, index, text});
}

Buffer Session::open() const {
  const Module& given = request.modules[index];
  // Text has to end with a zero, which a copy has.
  return llvm.CreateMemoryBufferWithMemoryRangeCopy(given.bitcode.data(), given.bitcode.size(),
                                                    std::string(given.name).c_str());
}

LlvmModule Session::read() {
  LlvmModule module = nullptr;
  if (is_text(bytes_of(request.modules[index].bitcode))) {
    char* message = nullptr;
    if (llvm.ParseIRInContext(ir.context, open(), &module, &message) != 0) {
      std::string said = message;  // "a.ll:3:5: error: words\n  define\n  ^"
      said.resize(std::min(said.find('\n'), said.size()));
      if (size_t at = said.find("error: "); at != said.npos) said.erase(at, 7);
      report(said);
    }
    return !failed_ && make_bpf(module) ? module : nullptr;
  }
  reading_ = this;
  llvm.InstallFatalErrorHandler([](const char* reason) { reading_->explain_unreadable(reason); });
  int status = llvm.ParseBitcodeInContext2(ir.context, open(), &module);
  llvm.ResetFatalErrorHandler();
  if (status != 0 || failed_) {
    if (!failed_) report("is not bitcode that LLVM can read");
    return nullptr;
  }
  return make_bpf(module) ? module : nullptr;
}

/// Ends the process, as LLVM does when it finds what no module may have. A module that is read as
/// far as another one needs it is not looked through: a copy tells where that is.
void Session::explain_unreadable(std::string_view reason) {
  llvm.ResetFatalErrorHandler();
  start();
  LlvmModule copy = llvm.ModuleCreateWithNameInContext("copy", ir.context), again = nullptr;
  std::string where, words(reason);
  char* found = nullptr;
  if (llvm.GetBitcodeModuleInContext2(ir.context, open(), &again) == 0 &&
      llvm.LinkModules2(copy, again) == 0 && llvm.VerifyModule(copy, return_status, &found) != 0) {
    // "words\n  %4 = call ...\n"
    words = found;
    ir.for_each_function(copy, [&](Value f) {
      if (!where.empty() || llvm.VerifyFunction(f, return_status) == 0) return;
      Value at = f;
      ir.for_each_instruction(f, [&](Value i) {
        if (at == f && words.contains(ir.print(i))) at = i;
      });
      where = fmt::format("{}in function {}: ", ir.place_of(at), ir.name_of(f));
    });
    words.resize(std::min(words.find('\n'), words.size()));
  }
  report(
      fmt::format("{}LLVM cannot read what the compiler made: {}; compile without -flto, or with a "
                  "newer clang",
                  where, words));
  ::_exit(0);
}

/// Makes a module for another machine one for BPF, as `llc -march=bpf` does: the author compiled it
/// so for headers that only the host has. Its structs are laid out already, so the machine has to
/// have the sizes and alignments of BPF.
bool Session::make_bpf(LlvmModule module) {
  const std::string triple = llvm.GetTarget(module);
  is_foreign = !triple.starts_with("bpf");
  if (!is_foreign) return true;
  DataLayout layout = llvm.GetModuleDataLayout(module);
  constexpr unsigned size = 8;
  if (triple.empty() || llvm.PointerSize(layout) != size ||
      llvm.ABIAlignmentOfType(layout, llvm.Int64TypeInContext(ir.context)) != size) {
    report(fmt::format("is LLVM bitcode for {}: compile with --target=bpf",
                       triple.empty() ? "no target" : triple));
    return false;
  }
  if (!options.lto_foreign)
    warn(
        fmt::format("is LLVM bitcode for {}, compiled for BPF all the same: compile with "
                    "--target=bpf, or say --lto-target bpf",
                    triple));
  llvm.SetTarget(module, llvm.ByteOrder(layout) == little_endian ? "bpfel" : "bpfeb");
  Machine machine = machine_for(module);
  if (!machine) return false;
  llvm.SetModuleDataLayout(module, llvm.CreateTargetDataLayout(machine));
  return true;
}

/// Without optimization, code generation omits the pass that makes CO-RE relocations.
Machine Session::machine_for(LlvmModule module) {
  constexpr int default_level = 2, default_reloc = 0, default_code_model = 0;
  const char* triple = llvm.GetTarget(module);
  Target target = nullptr;
  char* message = nullptr;
  if (llvm.GetTargetFromTriple(triple, &target, &message) != 0) {
    report(message);
    return nullptr;
  }
  Cpu of = cpu.value_or(Cpu{yielding_cpu(), ""});
  if (!options.lto_cpu.empty()) of = {options.lto_cpu, options.lto_features};
  Machine& machine = machines_[fmt::format("{} {} {}", triple, of.name, of.features)];
  if (!machine)
    machine = llvm.CreateTargetMachine(target, triple, of.name.c_str(), of.features.c_str(),
                                       default_level, default_reloc, default_code_model);
  return machine;
}

bool Session::run_passes(LlvmModule module, const std::string& passes) {
  Machine machine = machine_for(module);
  if (!machine) return false;
  PassOptions none = llvm.CreatePassBuilderOptions();
  if (Failure failure = llvm.RunPasses(module, passes.c_str(), machine, none))
    report(llvm.GetErrorMessage(failure));
  return !failed_;
}

Buffer Session::generate(LlvmModule module, FileType type) {
  Machine machine = machine_for(module);
  if (!machine) return nullptr;
  char* message = nullptr;
  Buffer buffer = nullptr;
  if (llvm.TargetMachineEmitToMemoryBuffer(machine, module, type, &message, &buffer) != 0)
    report(message);
  return failed_ ? nullptr : buffer;
}

void Session::emit(LlvmModule module, LinkOptions::Emit what) {
  using enum LinkOptions::Emit;
  switch (what) {
    case Bitcode:
      return answer_with(PartKind::Output, llvm.WriteBitcodeToMemoryBuffer(module));
    case Ir:
      return answer({PartKind::Output, index, llvm.PrintModuleToString(module)});
    case Object:
    case Assembly:
      if (Buffer buffer = generate(module, what == Object ? object_file : assembly_file))
        answer_with(PartKind::Output, buffer);
  }
}

void Session::show(PartKind kind, LlvmModule module) const {
  if (options.lto_dump_directory.empty())
    answer_with(kind, llvm.WriteBitcodeToMemoryBuffer(module));
  else
    answer({kind, index, llvm.PrintModuleToString(module)});
}

void Session::answer_with(PartKind kind, Buffer buffer) const {
  answer({kind, index, {llvm.GetBufferStart(buffer), llvm.GetBufferSize(buffer)}});
}

}  // namespace bpflink::lto
