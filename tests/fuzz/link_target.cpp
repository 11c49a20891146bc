// A whole link of two objects, with options that the input chooses
#include "bpflink/linker.hpp"
#include "tests/fuzz/pair.hpp"
#include "tests/fuzz/target.hpp"

namespace bpflink::fuzz {
namespace {

LinkOptions options_of(uint32_t choices) {
  auto chosen = [&](int bit) { return (choices >> bit & 1) != 0; };
  LinkOptions options;
  options.verify = true;
  options.partial = chosen(0);
  options.gc_sections = chosen(1);
  options.localize_hidden = chosen(2);
  options.keep_debug = chosen(3);
  options.discard_locals = chosen(4);
  options.check_types = !chosen(5);
  options.report = chosen(6);
  if (chosen(7)) options.license = "GPL";
  options.warn_odr = !chosen(9);
  options.strip_line_info = chosen(10);
  options.prune_types = chosen(11);
  options.check_pointers = chosen(12);
  options.gc_constants = chosen(13);
  options.gc_maps = chosen(14);
  if (chosen(8)) options.trace_symbols = {"shared"};
  return options;
}

}  // namespace
}  // namespace bpflink::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto pair = fuzz::Pair::read({data, size});
  size_t errors = 0;
  Linker linker(fuzz::options_of(pair.choices), [&](const Diagnostic& diagnostic) {
    fuzz::require(!diagnostic.message.empty(), "a diagnostic has a text");
    if (diagnostic.severity == Severity::Error) errors++;
  });
  linker.add_memory("first.o", std::as_bytes(pair.first));
  if (!pair.second.empty()) linker.add_memory("second.o", std::as_bytes(pair.second));
  auto output = linker.link_to_memory();
  fuzz::require(output.has_value() == (errors == 0), "a link fails exactly if it says why");
  return 0;
}
