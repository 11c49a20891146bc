// Pass: write the bytes of .BTF.
#include "linker/context.hpp"
#include "linker/error.hpp"

namespace bpflink {

void finish_btf(Context& context) {
  auto blob = context.btf->finish(context.byte_order);
  if (!blob)
    return context.diagnostics.error(fmt::format(".BTF of the output: {}", blob.error().message));
  context.output_btf = std::move(*blob);
}

}  // namespace bpflink
