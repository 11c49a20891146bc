// Writes the BTF of objects as libbpf passes it to a kernel: DIRECTORY/NAME.btf for each NAME.o.
//
// Usage: loaded_btf DIRECTORY OBJECT...
#include "linker/types/loaded_btf.hpp"

#include <filesystem>
#include <fstream>

#include "linker/files/elf_file.hpp"
#include "linker/files/object_file.hpp"
#include "linker/io/input_file.hpp"

using namespace bpflink;

namespace {

/// The blob of an object, or nothing if it has none that can be read.
std::optional<std::vector<std::byte>> blob_of(const InputFile& file) {
  auto elf = read_elf(file.bytes());
  if (!elf || !elf->find(".BTF")) return std::nullopt;
  auto object = ObjectFile::read(file.name(), file.bytes(), {.keep_debug = true});
  if (!object) return std::nullopt;
  return loaded_btf(**object, elf->contents(elf->sections[*elf->find(".BTF")]));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (const char* object : std::span(argv, static_cast<size_t>(argc)).subspan(2)) {
    auto file = InputFile::open(object);
    if (!file) return 2;
    auto blob = blob_of(*file);
    if (!blob) continue;
    auto name = std::filesystem::path(object).filename().replace_extension(".btf");
    std::ofstream out(argv[1] / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(blob->data()),
              static_cast<std::streamsize>(blob->size()));
    if (!out.flush()) return 1;
  }
  return 0;
}
