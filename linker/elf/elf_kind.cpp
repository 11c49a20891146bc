#include "linker/elf/elf_kind.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "linker/elf/bytes.hpp"

#ifndef EM_BPF
#define EM_BPF 247
#endif

namespace bpflink {
namespace {

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "i386";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC64";
    case EM_S390:
      return "s390";
    case EM_MIPS:
      return "MIPS";
    case EM_BPF:
      return "BPF";
    default:
      return fmt::format("machine {}", machine);
  }
}

std::string_view file_type_name(uint16_t type) {
  switch (type) {
    case ET_REL:
      return "object";
    case ET_EXEC:
      return "executable";
    case ET_DYN:
      return "shared object";
    case ET_CORE:
      return "core file";
    default:
      return "file of unknown ELF type";
  }
}

}  // namespace

bool is_elf(std::span<const std::byte> image) {
  return image.size() >= SELFMAG && std::memcmp(image.data(), ELFMAG, SELFMAG) == 0;
}

std::string describe_foreign_file(std::span<const std::byte> image) {
  auto starts_with = [&](std::string_view magic) {
    return image.size() >= magic.size() &&
           std::memcmp(image.data(), magic.data(), magic.size()) == 0;
  };
  if (image.empty()) return "empty file (compile it again)";
  if (starts_with("BC\xC0\xDE") || starts_with(std::string_view("\xDE\xC0\x17\x0B", 4)))
    return "LLVM bitcode (compile without -flto and -emit-llvm)";
  if (starts_with("!<arch>\n") || starts_with("!<thin>\n")) return "archive";
  if (!starts_with(ELFMAG)) {
    bool text = std::all_of(image.begin(), image.begin() + std::min<size_t>(image.size(), 64),
                            [](std::byte b) {
                              return b == std::byte{'\n'} || b == std::byte{'\t'} ||
                                     (b >= std::byte{' '} && b < std::byte{127});
                            });
    return text ? "text file (compile it first)" : "file of unknown format";
  }
  if (image.size() < EI_NIDENT) return "truncated ELF file";
  auto elf_class = std::to_integer<int>(image[EI_CLASS]);
  auto data = std::to_integer<int>(image[EI_DATA]);
  if (data != ELFDATA2LSB && data != ELFDATA2MSB) return "ELF file of unknown byte order";
  if (image[EI_VERSION] != std::byte{EV_CURRENT}) return "ELF file of unknown version";
  if (image.size() < (elf_class == ELFCLASS32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr)))
    return "truncated ELF file";
  std::endian order = data == ELFDATA2LSB ? std::endian::little : std::endian::big;
  auto type = load<uint16_t>(image.data() + offsetof(Elf64_Ehdr, e_type), order);
  auto machine = load<uint16_t>(image.data() + offsetof(Elf64_Ehdr, e_machine), order);
  if (elf_class != ELFCLASS64)
    return fmt::format("{}-bit {} {}", elf_class == ELFCLASS32 ? "32" : "unknown",
                       machine_name(machine), file_type_name(type));
  if (machine != EM_BPF && type == ET_REL)
    return fmt::format("{} object (compile with --target=bpf)", machine_name(machine));
  if (machine != EM_BPF || type != ET_REL)
    return fmt::format("{} {}", machine_name(machine), file_type_name(type));
  return "";
}

}  // namespace bpflink
