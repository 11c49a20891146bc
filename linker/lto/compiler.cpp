#include "linker/lto/compiler.hpp"

namespace bpflink::lto {
namespace {

/// Makes an object of each module that has its symbols and types, and no code.
void outline_each(Session& session) {
  for (session.index = 0; session.index < session.request.modules.size(); ++session.index) {
    session.start();
    LlvmModule module = session.read();
    if (!module) continue;
    LlvmModule outline = mend_debug_info(session, make_outline(session.ir, module));
    session.llvm.DisposeModule(module);
    session.emit(outline, LinkOptions::Emit::Object);
    session.llvm.DisposeModule(outline);
  }
}

/// Joins the modules, optimizes them as one, and makes the output.
void compile_joined(Session& session) {
  session.start();
  LlvmModule joined = join(session);
  if (joined) joined = optimize(session, joined);
  if (!joined) return;
  joined = mend_debug_info(session, joined);
  if (session.options.lto_save_temps) session.show(PartKind::Optimized, joined);
  session.emit(joined, session.options.lto_emit);
}

}  // namespace

void compile(const Llvm& llvm, const Request& request, const Answer& answer) {
  Session session(llvm, request, answer);
  if (request.joins)
    compile_joined(session);
  else
    outline_each(session);
}

}  // namespace bpflink::lto
