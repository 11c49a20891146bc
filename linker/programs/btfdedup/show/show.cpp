#include "linker/programs/btfdedup/show/show.hpp"

#include <elf.h>

#include "bpflink/check.hpp"
#include "bpflink/explain.hpp"
#include "bpflink/print.hpp"
#include "dedup/try.hpp"
#include "linker/report/reports.hpp"
#include "linker/report/type_nodes.hpp"
#include "linker/skeleton/rust_types.hpp"
#include "linker/text/kernel_faults.hpp"
#include "linker/text/program.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {
namespace {

/// A model of the BTF alone, without the file around it.
OutputModel describe(const ShownBtf& output) {
  const MergedBtf& merged = output.merged;
  uint64_t size = output.blob.size();
  OutputModel model{.file = output.name, .bytes = size};
  ModelBuilder builder(model);
  TypeNodes types(output.btf, size, builder.add_section(".BTF", "section", size), builder);
  for (uint32_t i = 0; i < merged.inputs.size(); ++i) {
    model.inputs.push_back({merged.names[i]});
    types.add_input(i, merged.inputs[i].first, merged.inputs[i].second, merged.dedup.type_maps[i],
                    true);
  }
  types.finish();
  builder.finish();
  return model;
}

}  // namespace

std::string size_map_of(const ShownBtf& output) {
  const MergedBtf& merged = output.merged;
  OutputModel model = describe(output);
  model.tags = find_split_tags({output.btf, merged.dedup.type_maps, merged.names});
  return make_size_map(model);
}

std::expected<void, Error> print_reports(const BtfdedupOptions& options, const ShownBtf& output) {
  const MergedBtf& merged = output.merged;
  std::optional<OutputModel> model;
  if (!options.explain.empty() || options.print_sizes != 0) model = describe(output);
  for (const std::string& what : options.explain) {
    auto text = explain({output.btf, merged.dedup.type_maps, merged.names}, what);
    std::string story = explain_types(*model, what);
    if (!text && story.empty()) return std::unexpected(text.error());
    print_text(text.value_or("") + story);
  }
  if (options.print_sizes != 0) print_text(make_sizes_text(*model, options.print_sizes));
  if (options.dump == BtfdedupOptions::Dump::C) {
    PrintedChoice choice = merged.choice;
    if (choice.is_part)
      choice.notes = TRY(
          compare_members({output.btf, merged.dedup.type_maps, merged.names}, choice.taken_along));
    print_text(print_c_header(output.btf, choice));
  }
  if (options.dump == BtfdedupOptions::Dump::Rust)
    print_text(print_rust_module(output.btf, merged.choice));
  if (options.dump == BtfdedupOptions::Dump::Raw)
    for (uint32_t id = output.btf.first_id(); id < output.btf.end_id(); ++id)
      print_text(print_raw(output.btf, id));
  if (options.statistics) {
    const Statistics& statistics = merged.statistics;
    BtfSizes sizes;
    sizes.add(output.btf, output.blob.size());
    print_text(options.as_json ? statistics.as_json(sizes) : statistics.as_text(sizes));
  }
  return flush_output();
}

void warn_of_faults(const ShownBtf& output, std::span<const std::byte> file) {
  const MergedBtf& merged = output.merged;
  bool is_of_kernel = merged.like && merged.like->machine != EM_BPF;
  const Btf* base = output.btf.base();
  BtfUse use = is_of_kernel ? BtfUse::Kernel : use_of_file(file, output.blob, base);
  std::vector<TypeOrigin> origins;
  origins.reserve(merged.names.size());
  for (size_t i = 0; i < merged.names.size(); ++i)
    origins.push_back({merged.names[i], &merged.dedup.type_maps[i]});
  for (const Diagnostic& warning :
       kernel_fault_warnings(check_file(file, output.blob, use, base), output.name, origins))
    print_diagnostic("btfdedup", warning);
}

}  // namespace bpflink
