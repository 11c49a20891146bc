// The reader of archives, and linking what is in one with all of its members.
#include "bpflink/linker.hpp"
#include "linker/elf/archive.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto image = std::as_bytes(std::span(data, size));
  auto archive = read_archive(image);
  // A thin one would have files read that it names.
  if (!is_archive(image) || (archive && archive->is_thin)) return 0;
  if (archive) {
    for (const ArchiveMember& member : archive->members)
      fuzz::require(!member.name.empty() && member.image.size() <= size, "members are inside");
  } else {
    fuzz::require(!archive.error().message.empty(), "an error says what is wrong");
  }
  size_t errors = 0;
  Linker linker({.undefined = {"prog"}}, [&](const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::Error) errors++;
  });
  linker.add_memory("input.a", image);
  fuzz::require(linker.link_to_memory().has_value() == (errors == 0),
                "a link fails exactly if it says why");
  return 0;
}
