// The linker from start to end, a line a pass. Each pass is in the file of its name in passes/.
// All they know is in one Context (context.hpp).
#include <chrono>

#include "linker/context.hpp"

namespace bpflink {
namespace {

/// Runs a pass unless an earlier one failed: a pass may rely on what earlier ones checked. A pass
/// reports all of its errors.
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
  // Open all output files first, under temporary names: an unwritable target fails before any work.
  run(context, "open outputs", open_outputs);

  // Read and check each input on its own. Later passes check how inputs combine.
  run(context, "read inputs", read_inputs);

  // Refuse an output that is an input or another output, under whatever name. All files are known
  // now, and none has been written.
  run(context, "check outputs", check_outputs);

  // Choose one winner for each global name, and the VAR or FUNC that describes it. After this it is
  // known which definitions lost.
  run(context, "resolve symbols", resolve_symbols);

  // Print the definitions and references of the symbols named with -y, before an error that they
  // may explain.
  run(context, "trace symbols", trace_symbols);

  // Cut sections into fragments, one for each definition where that is safe. Then the bytes of a
  // loser can be dropped while its neighbors stay.
  run(context, "split into fragments", split_into_fragments);

  // Garbage-collect unreachable fragments. Without --gc-sections, only losers go. The roots are in
  // elf/gc_roots.hpp.
  run(context, "mark live", mark_live);

  // Report externs that live code needs and that neither an input nor the loader provides, with
  // every reference.
  run(context, "report undefined symbols", report_undefined_symbols);

  // Warn of inputs that link but will not load. This and the next three passes look at live code
  // only.
  run(context, "warn unloadable", warn_unloadable);

  // Warn of programs that lost their SEC(), and of helpers that the license forbids.
  run(context, "check programs", check_programs);

  // Check for maps that are static, and for variables that only some files declare as maps.
  run(context, "check maps", check_maps);

  // Check externs whose const differs from the definition's, and weak functions without a
  // definition.
  run(context, "check externs", check_externs);

  // Assign output offsets to all live fragments. After this place_of() gives their places.
  run(context, "lay out sections", lay_out_sections);

  // Reorder maps: loaders create them in the order of .maps, so inner maps come before the maps
  // that hold them. After this all offsets are final.
  run(context, "order maps", order_maps);

  // Number the output's symbols, locals first; relocations refer to these numbers. This precedes
  // the merge of types: a weak function that lost becomes a local symbol if its own file calls it,
  // and only then its FUNC stays.
  run(context, "number symbols", number_symbols);

  // Deduplicate the types of all inputs. VARs, DATASECs and the FUNCs of losers are omitted. Each
  // type id of an input maps to its output id, or to 0.
  run(context, "merge btf", merge_btf);

  // Compare externs with their definitions, and declarations of a map with each other. Equal types
  // have equal ids now, so only types that differ are walked.
  run(context, "check types", check_types);

  // Warn of shared structs whose layouts differ. This follows check_types(), which reports the
  // direct conflicts, and precedes the removal of types that only externs lead to.
  run(context, "check odr", check_odr);

  // Remove types that only bound externs and losing definitions lead to, and renumber the rest.
  // This follows check_types(), which compares them. Only type maps and symbols hold type ids so
  // far.
  run(context, "remove orphaned types", remove_orphaned_types);

  // Add missing FUNCs: loaders want one for each function, or none at all. FUNCs precede variables,
  // so that a second link gives the same ids.
  run(context, "complete functions", complete_functions);

  // Make the output's VARs and DATASECs from its symbols, with their final offsets and sizes.
  run(context, "build datasecs", build_datasecs);

  // With --prune-types, replace structs by declarations where nothing looks into them. Everything
  // that looks into types exists now: programs, maps, variables, relocations.
  run(context, "prune types", prune_types);

  // Warn of types whose names kernels reject, such as those of C++ and Rust. The output's types are
  // complete, so each is reported once.
  run(context, "warn rejected names", warn_rejected_names);

  // Build the contents and relocations of the output sections, and adjust addends. This needs the
  // final offsets and the type ids, which instructions may hold.
  run(context, "relocate", relocate);

  // Rebuild func_info, line_info and core_relo with the output's offsets, type ids and strings.
  run(context, "rebase btf ext", rebase_btf_ext);

  // Write the bytes of .BTF: no later pass adds a string or type.
  run(context, "finish btf", finish_btf);

  // Write the object to its temporary file.
  run(context, "write output", write_output);

  // Read the written object back if an option checks, measures or explains it.
  run(context, "read output", read_output);

  // With --verify, check the object before it replaces anything.
  run(context, "verify output", verify_output);

  // Measure the finished object, and explain symbols and types.
  run(context, "describe output", describe_output);

  // Compute the link's statistics, the link map and the cross references.
  run(context, "make report", make_report);

  // Write the reports that go to files, under temporary names, and the converted object (bpfskel).
  run(context, "write reports", write_reports);

  // Rename the object and its reports to their places. Nothing else can fail now.
  run(context, "commit outputs", commit_outputs);
}

}  // namespace bpflink
