// The linker from start to end, a line a pass. Each pass is a function in passes/, in the file of
// its name or of its subject. All they know is in one Context (state/context.hpp).
#include <algorithm>
#include <chrono>

#include "linker/report/report_files.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// Runs a pass unless an earlier one failed: a pass may rely on what earlier ones checked. A pass
/// reports all of its errors.
void run(Context& context, std::string name, void (*pass)(Context&), Context& over) {
  if (context.diagnostics.failed()) return;
  auto start = std::chrono::steady_clock::now();
  pass(over);
  context.diagnostics.flush();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::ranges::replace(name, '_', ' ');
  context.report.passes.emplace_back(std::move(name), seconds.count());
}

}  // namespace

// The name of a pass in statistics is its function's.
#define RUN(pass) run(context, #pass, pass, context)
#define RUN_OVER_MODULES(pass) \
  run(context, #pass "_of_bitcode", pass, context.modules ? *context.modules : context)

void link(Context& context) {
  const LinkOptions& options = context.options;
  bool is_shown = shows_model(options) || !options.explain.empty();

  // Open all output files first, under temporary names: an unwritable target fails before any work.
  RUN(open_outputs);

  // Read and check each input on its own. Later passes check how inputs combine.
  RUN(read_inputs);

  // Refuse an output that is an input or another output, under whatever name. All files are known
  // now, and none has been written.
  RUN(check_outputs);

  // Join the inputs that are LLVM bitcode, and optimize them as one: they become one more object.
  bool joins = options.lto_emit != LinkOptions::Emit::Object ||
               std::ranges::any_of(context.objects, &ObjectFile::is_bitcode);
  if (joins) {
    // Resolve and compare what the modules and objects have in common, as a link of its own.
    RUN(separate_bitcode);
    RUN_OVER_MODULES(resolve_symbols);
    RUN_OVER_MODULES(trace_symbols);
    RUN_OVER_MODULES(split_into_fragments);
    RUN_OVER_MODULES(mark_live);
    RUN_OVER_MODULES(check_externs);
    RUN_OVER_MODULES(lay_out_sections);
    RUN_OVER_MODULES(order_maps);
    RUN_OVER_MODULES(number_symbols);
    RUN_OVER_MODULES(merge_btf);
    RUN_OVER_MODULES(check_types);
    if (context.modules && context.modules->btf && options.warn_odr) RUN_OVER_MODULES(check_odr);
    RUN(join_bitcode);
  }
  if (options.lto_emit != LinkOptions::Emit::Object) return;

  // Choose one winner for each global name, and the VAR or FUNC that describes it. After this it is
  // known which definitions lost.
  RUN(resolve_symbols);

  // Print the definitions and references of the symbols named with -y, before an error that they
  // may explain.
  if (!options.trace_symbols.empty()) RUN(trace_symbols);

  // Cut sections into fragments, one for each definition where that is safe. Then the bytes of a
  // loser can be dropped while its neighbors stay.
  RUN(split_into_fragments);

  // Garbage-collect unreachable fragments. Without --gc-sections, only losers go. The roots are in
  // state/gc_roots.hpp.
  RUN(mark_live);

  // Report externs that live code needs and that neither an input nor the loader provides, with
  // every reference.
  RUN(report_undefined_symbols);

  // Warn about inputs that link but will not load. This and the next seven passes look at live code
  // only.
  RUN(warn_unloadable);

  // Warn about sections whose names are like those of programs.
  if (!options.partial) RUN(check_programs);

  // Warn about functions that lost their SEC(), and of arguments that verifiers cannot follow.
  if (!options.partial) RUN(check_functions);

  // Refuse pointers in data that code reads, which no loader fills in.
  if (!options.partial) RUN(check_data_pointers);

  // Check the accesses of CO-RE relocations.
  if (!options.partial) RUN(check_core);

  // Warn about licenses that no loader finds.
  if (!options.partial) RUN(check_license);

  // Check for variables that only some files declare as maps.
  RUN(check_maps);

  // Check externs whose const differs from the definition's, and weak functions without a
  // definition.
  RUN(check_externs);

  // Assign output offsets to all live fragments. After this place_of() gives their places.
  RUN(lay_out_sections);

  // Reorder maps: loaders create them in the order of .maps, so inner maps come before the maps
  // that hold them. After this all offsets are final.
  RUN(order_maps);

  // Number the output's symbols, locals first; relocations refer to these numbers. This precedes
  // the merge of types: a weak function that lost becomes a local symbol if its own file calls it,
  // and only then its FUNC stays.
  RUN(number_symbols);

  // Deduplicate the types of all inputs. VARs, DATASECs and the FUNCs of losers are omitted. Each
  // type id of an input maps to its output id, or to 0.
  RUN(merge_btf);

  // Compare externs with their definitions, and declarations of a map with each other. Equal types
  // have equal ids now, so only types that differ are walked.
  if (context.btf) RUN(check_types);

  // Warn about shared structs whose layouts differ. This follows check_types(), which reports the
  // direct conflicts, and precedes the removal of types that only externs lead to.
  if (context.btf && options.warn_odr) RUN(check_odr);

  // Remove types that only bound externs and losing definitions lead to, and renumber the rest.
  // This follows check_types(), which compares them. Only type maps and symbols hold type ids so
  // far.
  if (context.btf) RUN(remove_orphaned_types);

  // Add missing FUNCs: loaders want one for each function, or none at all. FUNCs precede variables,
  // so that a second link gives the same ids.
  if (context.btf) RUN(complete_functions);

  // Make the output's VARs and DATASECs from its symbols, with their final offsets and sizes.
  if (context.btf) RUN(build_datasecs);

  // Replace structs by declarations where nothing looks into them. Everything
  // that looks into types exists now: programs, maps, variables, relocations.
  if (context.btf && options.prune_types) RUN(prune_types);

  // Rename types that kernels reject, such as those of Rust, and sort their members. The types are
  // complete now.
  if (context.btf && options.kernel_names) RUN(rename_rejected_types);

  // Warn about types whose names kernels reject, such as those of C++ and Rust. The output's types
  // are complete, so each is reported once.
  if (context.btf) RUN(warn_rejected_names);

  // Build the contents and relocations of the output sections, and adjust addends. This needs the
  // final offsets and the type ids, which instructions may hold.
  RUN(relocate);

  // Rebuild func_info, line_info and core_relo with the output's offsets, type ids and strings.
  if (context.btf) RUN(rebase_btf_ext);

  // Write the bytes of .BTF: no later pass adds a string or type.
  if (context.btf) RUN(finish_btf);

  // Write the object to its temporary file.
  RUN(write_output);

  // Read the written object back, for the next three passes.
  if (!options.partial || options.verify || joins || is_shown) RUN(read_output);

  // Warn about what no loader or kernel takes: what bpfcore says of the output on any kernel.
  if (!options.partial) RUN(check_verdicts);

  // Check the object before it replaces anything. What LLVM makes of other languages' types may be
  // such that kernels refuse it.
  if (options.verify || joins) RUN(verify_output);

  // Measure the finished object, and explain symbols and types.
  if (is_shown) RUN(describe_output);
}

void publish(Context& context) {
  // Compute the link's statistics, the link map and the cross references.
  RUN(make_report);

  // Write the reports that go to files, under temporary names, and the converted object (bpfskel).
  RUN(write_reports);

  // Rename the object and its reports to their places. Nothing else can fail now.
  RUN(commit_outputs);
}

}  // namespace bpflink
