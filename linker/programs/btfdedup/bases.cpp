#include "linker/programs/btfdedup/bases.hpp"

#include "dedup/print/c_scalars.hpp"
#include "linker/error.hpp"
#include "linker/kernels/relocate_base.hpp"

namespace bpflink {
namespace {

/// Adds a blob. Errors begin with the name.
std::expected<void, Error> add_base(Bases& bases, const std::string& name,
                                    std::span<const std::byte> blob) {
  auto blobs = find_btf_blobs(blob);
  if (!blobs) return fail_in(name, blobs.error());
  if (blobs->size() > 1) return fail("{}: a base must have exactly one BTF", name);
  auto btf = Btf::parse(blob, last_of(bases));
  if (!btf) return fail_in(name, btf.error());
  bases.push_back(std::make_unique<const Base>(name, std::move(*btf), blob.size()));
  return {};
}

}  // namespace

const Btf* last_of(const Bases& bases) {
  return bases.empty() ? nullptr : &bases.back()->btf;
}

std::expected<void, Error> read_base(Bases& bases, const std::string& path, bool whole,
                                     std::vector<InputFile>& files) {
  auto file = find_base_file(path);
  if (!file) return std::unexpected(file.error());
  auto sources = open_sources(*file, files);
  if (!sources) return std::unexpected(sources.error());
  if (sources->list.empty()) return fail("{}", sources->lack);
  if (sources->list.size() > 1)
    return fail("{}: a base must have exactly one BTF", sources->list[1].name);
  const BtfSource& source = sources->list.front();
  if (whole && bases.empty() && !source.base.empty())
    return fail(
        "{}: its section .BTF.base has structs without members, which --flatten cannot complete",
        source.name);
  if (auto ok = add_own_base(bases, source); !ok) return ok;
  return add_base(bases, source.name, source.contents);
}

ModuleRelocator::ModuleRelocator(const Btf& base)
    : base_(base), names_(base, 0, pointer_size(base)) {}

std::expected<std::vector<std::byte>, Error> ModuleRelocator::relocate(
    const BtfSource& source) const {
  auto blob = relocate_base(source.contents, source.base, base_, names_);
  if (!blob) return fail_in(source.name, blob.error());
  return blob;
}

std::expected<void, Error> add_own_base(Bases& bases, const BtfSource& source) {
  if (source.base.empty()) return {};
  if (!bases.empty())
    return fail("{}: is split from its section .BTF.base, not from the base given", source.name);
  return add_base(bases, source.name + ": .BTF.base", source.base);
}

}  // namespace bpflink
