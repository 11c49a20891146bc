#include "bpflink/btf_file.hpp"

#include "dedup/for_linker.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/input_file.hpp"

namespace bpflink {

std::expected<std::vector<std::byte>, Error> read_btf_file(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return fail_in(path, file.error());
  std::span<const std::byte> bytes = file->bytes();
  if (is_elf(bytes)) {
    auto elf = read_elf(bytes);
    if (!elf) return fail_in(path, elf.error());
    auto section = elf->find(".BTF");
    if (!section) return fail("{}: has no section .BTF", path);
    if (elf->find(".BTF.base"))
      return fail("{}: is split from its section .BTF.base: btfdedup --base resolves that", path);
    if (auto ok = check_contents(elf->sections[*section]); !ok) return fail_in(path, ok.error());
    bytes = elf->contents(elf->sections[*section]);
  } else if (bytes.size() < BtfHeader::size_field_end ||
             read_header_fields(bytes).magic != btf_magic) {
    return fail("{}: is neither BTF nor an ELF file", path);
  }
  return std::vector(bytes.begin(), bytes.end());
}

}  // namespace bpflink
