#include "linker/programs/btfdedup/convert.hpp"

#include <vector>

#include "bpflink/convert.hpp"
#include "linker/error.hpp"
#include "linker/outputs.hpp"
#include "linker/programs/btfdedup/bases.hpp"
#include "linker/programs/btfdedup/inputs.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {
namespace {

class Conversion {
 public:
  explicit Conversion(const BtfdedupOptions& options) : options_(options) {}

  std::expected<void, Error> run() {
    // An unwritable output fails before any work.
    auto output = outputs_.open("-o", options_.output, true);
    if (!output) return fail(output.error().message);
    for (const std::string& path : options_.bases)
      if (auto ok = read_base(bases_, path, false, files_); !ok) return ok;
    auto source = read_input();
    if (!source) return std::unexpected(source.error());
    if (auto ok = check_output(); !ok) return ok;
    auto blob = convert(*source);
    if (!blob) return fail_in(source->name, blob.error());
    if (auto ok = Outputs::write(**output, *blob); !ok) return fail(ok.error().message);
    auto problems = outputs_.commit();
    return problems.empty() ? std::expected<void, Error>() : fail(problems.front().message);
  }

 private:
  std::expected<BtfSource, Error> read_input() {
    auto sources = open_sources({options_.inputs.front()}, files_);
    if (!sources) return std::unexpected(sources.error());
    if (sources->list.empty()) return fail("{}: compile with -g, with gcc -gbtf", sources->lack);
    BtfSource& source = sources->list.front();
    auto blobs = find_btf_blobs(source.contents);
    if (!blobs) return fail_in(source.name, blobs.error());
    if (sources->list.size() != 1 || blobs->size() != 1)
      return fail("{}: has several blobs of BTF; merge them first, without --target",
                  options_.inputs.front());
    if (auto ok = add_own_base(bases_, source); !ok) return std::unexpected(ok.error());
    return std::move(source);
  }

  std::expected<void, Error> check_output() {
    auto problems = outputs_.check(named_files(files_));
    return problems.empty() ? std::expected<void, Error>() : fail(problems.front().message);
  }

  std::expected<std::vector<std::byte>, Error> convert(const BtfSource& source) {
    const Btf* base = last_of(bases_);
    auto btf = Btf::parse(source.contents, base);
    if (!btf) return std::unexpected(btf.error());
    std::span<const std::byte> file = source.elf ? source.elf->image : source.contents;
    return convert_btf(*btf, *options_.target, use_of_file(file, source.contents, base));
  }

  const BtfdedupOptions& options_;
  Outputs outputs_;
  std::vector<InputFile> files_;  ///< mapped until the end
  Bases bases_;
};

}  // namespace

std::expected<void, Error> convert_input(const BtfdedupOptions& options) {
  return Conversion(options).run();
}

}  // namespace bpflink
