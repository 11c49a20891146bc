// The linker from start to end, a line a pass.
#include <chrono>

#include "linker/context.hpp"

namespace bpflink {
namespace {

/// Runs a pass unless one before it has failed: a pass may rely on what the
/// earlier ones have checked. Within a pass, all errors are reported.
void run(Context& context, const char* name, void (*pass)(Context&)) {
  if (context.diagnostics.failed()) return;
  if (!context.report) return pass(context);
  auto start = std::chrono::steady_clock::now();
  pass(context);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  context.report->passes.emplace_back(name, seconds.count());
}

}  // namespace

void link(Context& context) {
  // Make the files to write, without an effect yet. First, so that a target that
  // cannot be written to is found out before the work.
  run(context, "open outputs", open_outputs);

  // Everything in an input is checked here, so that no later pass has to.
  run(context, "read inputs", read_inputs);

  // One winner per global name, and the VAR or FUNC that describes it. What
  // loses is known from here on.
  run(context, "resolve symbols", resolve_symbols);

  // What the user asked about by name (-y). Before anything can fail that the
  // answer may explain.
  run(context, "trace symbols", trace_symbols);

  // Cut sections, so that the bytes of a definition that lost can go while what
  // stands around them stays. Needs to know the losers.
  run(context, "split into fragments", split_into_fragments);

  // With --gc-sections, only what programs, maps and struct_ops reach stays.
  // What lives decides which externs are needed at all.
  run(context, "mark live", mark_live);

  // An extern that live code needs, that nobody defines and that the loader will
  // not provide is an error with all the places that refer to it.
  run(context, "report undefined symbols", report_undefined_symbols);

  // Give every live fragment its place. From here on place_of() answers.
  run(context, "lay out sections", lay_out_sections);

  // Loaders create maps in the order of .maps: inner maps go before the maps that
  // hold them. The last change of places.
  run(context, "order maps", order_maps);

  // Locals first, then globals: relocations name symbols by these numbers. Before
  // the types, because a definition that lost is described only if it got one.
  run(context, "number symbols", number_symbols);

  // Deduplicate the types of all inputs, without the VARs, DATASECs and FUNCs
  // that resolution decided about. Every input type id gets its output id.
  run(context, "merge btf", merge_btf);

  // Extern against definition, map against map. After merge_btf, because equal
  // types then have equal ids and only those that differ are walked.
  run(context, "check types", check_types);

  // Loaders want a FUNC of every function where they have one of any. Before the
  // variables, among which they would stand when the output is linked again.
  run(context, "complete functions", complete_functions);

  // VARs and DATASECs from the symbols, with real offsets and sizes.
  run(context, "build datasecs", build_datasecs);

  // Contents and relocations of the output sections. Needs the type ids too: an
  // instruction may hold one.
  run(context, "relocate", relocate);

  // func_info, line_info and core_relo follow their instructions.
  run(context, "rebase btf ext", rebase_btf_ext);

  // The last strings and types have been added: fix the bytes of .BTF.
  run(context, "finish btf", finish_btf);

  // All parts are there: write the object, beside its place.
  run(context, "write output", write_output);

  // With --verify, read back what was written, while it can still be refused.
  run(context, "verify output", verify_output);

  // Figures, map and cross references, of a link that went well.
  run(context, "make report", make_report);

  // Those that go to files, beside their places.
  run(context, "write reports", write_reports);

  // Nothing else can fail: the object and the reports take their places, all or
  // none.
  run(context, "commit outputs", commit_outputs);
}

}  // namespace bpflink
