#include "bpflink/convert.hpp"

#include <optional>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/outputs.hpp"
#include "linker/programs/btfdedup/commands.hpp"
#include "linker/programs/btfdedup/inputs.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {

std::expected<void, Error> convert_input(const BtfdedupOptions& options) {
  Outputs outputs;
  std::vector<InputFile> files;  // mapped until the end
  Bases bases;
  auto first_of = [](const std::vector<OutputProblem>& problems) -> std::expected<void, Error> {
    return problems.empty() ? std::expected<void, Error>() : fail(problems.front().message);
  };
  // An unwritable output fails before any work.
  auto output = outputs.open("-o", options.output, true);
  if (!output) return fail(output.error().message);
  for (const std::string& path : options.bases) TRY(read_base(bases, path, false, files));
  auto sources = TRY(open_sources({options.inputs.front()}, files));
  if (sources.list.empty()) return fail("{}: compile with -g, with gcc -gbtf", sources.lack);
  const BtfSource& source = sources.list.front();
  auto blobs = find_btf_blobs(source.contents);
  if (!blobs) return fail_in(source.name, blobs.error());
  if (sources.list.size() != 1 || blobs->size() != 1)
    return fail("{}: has several blobs of BTF; merge them first, without --target",
                options.inputs.front());
  TRY(add_own_base(bases, source));
  TRY(first_of(outputs.check(named_files(files))));
  auto btf = Btf::parse(source.contents, last_of(bases));
  if (!btf) return fail_in(source.name, btf.error());
  BtfUse use = use_of_file(source.elf ? source.elf->image : source.contents, source.contents,
                           last_of(bases));
  auto blob = convert_btf(*btf, *options.target, use);
  if (!blob) return fail_in(source.name, blob.error());
  if (auto ok = Outputs::write(**output, *blob); !ok) return fail(ok.error().message);
  if (auto ok = outputs.commit(); !ok) return fail(ok.error().message);
  return {};
}

}  // namespace bpflink
