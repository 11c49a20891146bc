// The linker from start to end, a line a pass. Each pass is in the file of its name in passes/.
// All they know is in one Context (context.hpp).
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
  // Create temporary files for all that is written, so that nothing that is there changes; where a
  // pass fails, they go. First, so that a target that cannot be written to is found out before the
  // work.
  run(context, "open outputs", open_outputs);

  // Everything that can be told of an input alone is checked here, so that no later pass has to;
  // later ones check how inputs go together.
  run(context, "read inputs", read_inputs);

  // No output may be an input, or another output, by whatever names: now all files are known, and
  // nothing has been written.
  run(context, "check outputs", check_outputs);

  // Choose one winner per global name, and the VAR or FUNC that describes it. What loses is known
  // from here on.
  run(context, "resolve symbols", resolve_symbols);

  // Tell what the user asked about by name (-y): before anything fails that the answer may
  // explain. (Of two definitions of one name resolve_symbols() has told already.)
  run(context, "trace symbols", trace_symbols);

  // Cut sections into fragments, one for each definition where that is safe, so that the bytes of
  // one that lost can go while what stands around them stays. Needs to know the losers.
  run(context, "split into fragments", split_into_fragments);

  // Garbage-collect unreachable sections: without --gc-sections, only what lost a resolution.
  // elf/gc_roots.hpp says what is a root. What is live decides which externs are needed at all.
  run(context, "mark live", mark_live);

  // An extern that live code needs, that nobody defines and that the loader will
  // not provide is an error with all the places that refer to it.
  run(context, "report undefined symbols", report_undefined_symbols);

  // From here on, of a link that goes well so far, what libbpf, the verifier or a kernel would say
  // worse, or not at all. All of this needs to know what lives.
  run(context, "warn of inputs", warn_of_inputs);

  // Programs that lost their SEC(), and helpers that the license rules out.
  run(context, "warn of programs", warn_of_programs);

  // Maps that are static, or maps in one file alone.
  run(context, "check maps", check_maps);

  // Externs that are written to and const, or called and nowhere.
  run(context, "check externs", check_externs);

  // Give every live fragment its place in the output, which place_of() tells from here on. Only
  // maps may still move.
  run(context, "lay out sections", lay_out_sections);

  // Change the places of maps, which loaders create in the order of .maps: inner maps go before
  // the maps that hold them. From here on places are final.
  run(context, "order maps", order_maps);

  // Number the output's symbols, locals first: relocations name symbols by these numbers. Before
  // the types, because a weak function that lost, and that code of its own file still calls, lives
  // on as a local one, and only if it got a number does its FUNC stay.
  run(context, "number symbols", number_symbols);

  // Deduplicate the types of all inputs, without the VARs, DATASECs and FUNCs that resolution
  // decided about. Every type id of an input gets its output id, or 0 where it has none.
  run(context, "merge btf", merge_btf);

  // Compare externs with definitions and maps with maps. After merge_btf, because equal types then
  // have equal ids and only those that differ are walked.
  run(context, "check types", check_types);

  // Find structs that objects exchange behind pointers and lay out differently. After
  // check_types(), which has told of what conflicts without a pointer between; before types that
  // only externs led to are gone.
  run(context, "warn of layouts", warn_of_layouts);

  // Take out the types that only externs that were bound or definitions that lost led to, and
  // number the rest anew. After check_types(), which compares these; before anything but the type
  // maps and the symbols holds a number of a type.
  run(context, "forget types", forget_types);

  // Make the FUNCs that are missing: loaders want one of every function where they have one of any.
  // Before the variables, so that they have the same ids when the output is linked again.
  run(context, "complete functions", complete_functions);

  // Make the VARs and DATASECs of the output from its symbols, with the offsets and sizes that
  // these have there.
  run(context, "build datasecs", build_datasecs);

  // With --prune-types, take out the definitions of structs that nothing looks into. After all
  // types are there, as the variables, the functions and their tags say what is looked into; before
  // instructions and records get the types' numbers.
  run(context, "prune types", prune_types);

  // Say which types no kernel takes because of their names, such as those of other languages than
  // C, and which it may take for others. Now all that the output has are there, and each once.
  run(context, "warn of names", warn_of_names);

  // Make contents and relocations of the output sections; addends change where what they point to
  // moves.
  // Needs the places, and the type ids, too: an instruction may hold one.
  run(context, "relocate", relocate);

  // func_info, line_info and core_relo move with their instructions, and have the output's type ids
  // and strings.
  run(context, "rebase btf ext", rebase_btf_ext);

  // The last strings and types have been added: fix the bytes of .BTF.
  run(context, "finish btf", finish_btf);

  // All parts are there: write the object to its temporary file.
  run(context, "write output", write_output);

  // Read back what was written, where it is to be checked, measured or explained.
  run(context, "read output", read_output);

  // With --verify, check that, while it can still be refused.
  run(context, "verify output", verify_output);

  // Take stock of the object that was written, byte for byte, and explain symbols: what is where,
  // and what was dropped, does not change any more.
  run(context, "describe output", describe_output);

  // Figures, link map and cross references, of a link that went well.
  run(context, "make report", make_report);

  // Write the reports that go to files, to temporary ones as well; and where a generator's output
  // is wanted in place of the object, that.
  run(context, "write reports", write_reports);

  // All is whole, and what can fail has been done: rename the object and the reports to their
  // places.
  run(context, "commit outputs", commit_outputs);
}

}  // namespace bpflink
