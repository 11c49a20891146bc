// The archive reader, and a link of an archive with all of its members
#include <algorithm>

#include "bpflink/linker.hpp"
#include "linker/files/archive.hpp"
#include "tests/fuzz/target.hpp"

namespace {

bool is_file(const bpflink::ArchiveMember& member) {
  return !member.path.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto image = std::as_bytes(std::span(data, size));
  auto members = read_archive(image, "input.a");
  // A thin archive would read files by name.
  if (!is_archive(image) || (members && std::ranges::any_of(*members, is_file))) return 0;
  if (members) {
    for (const ArchiveMember& member : *members)
      fuzz::require(!member.name.empty() && member.image.size() <= size, "members are inside");
  } else {
    fuzz::require(!members.error().message.empty(), "an error says what is wrong");
  }
  size_t errors = 0;
  Linker linker({.undefined = {"prog"}}, [&](const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::Error) ++errors;
  });
  linker.add_memory("input.a", image);
  fuzz::require(linker.link_to_memory().has_value() == (errors == 0),
                "a link fails exactly if it says why");
  return 0;
}
