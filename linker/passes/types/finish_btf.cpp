// Pass: write the bytes of .BTF.
#include "bpflink/convert.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/state/context.hpp"

namespace bpflink {
namespace {

/// The types as an input's layout section made them, or without one.
std::expected<std::vector<std::byte>, Error> write_btf(const Context& context) {
  auto blob = context.btf->finish(context.byte_order);
  if (!blob || !context.options.classic_header) return blob;
  auto btf = TRY(Btf::parse(*blob));
  return convert_btf(btf, last_classic_header);
}

}  // namespace

void finish_btf(Context& context) {
  auto blob = write_btf(context);
  if (!blob)
    return context.diagnostics.error(fmt::format(".BTF of the output: {}", blob.error().message));
  context.output_btf = std::move(*blob);
}

}  // namespace bpflink
