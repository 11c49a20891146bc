// Containers are removed one by one, up to a limit. A vmlinux in a bzImage has two: the boot
// loader's and the compression. A file of BTFHub has the compression and the archive.
//
// Data found by searching an image is validated: a release follows the banner, the sections of a
// BTF header lie in the image, a note has its size.
#include "linker/kernels/kernel_image.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "dedup/format/header.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/tar.hpp"
#include "linker/kernels/decompress.hpp"

namespace bpflink {
namespace {

using Bytes = std::span<const std::byte>;

constexpr auto little = std::endian::little;

bool has_at(Bytes bytes, size_t at, std::string_view text) {
  return at <= bytes.size() && text_of(bytes.subspan(at)).starts_with(text);
}

// x86's Documentation/arch/x86/boot.rst: the setup header in the first sector and after it.
constexpr size_t bz_setup_sectors = 0x1f1;
constexpr size_t bz_boot_flag = 0x1fe;
constexpr size_t bz_magic = 0x202;
constexpr size_t bz_protocol = 0x206;
constexpr size_t bz_version_text = 0x20e;
constexpr size_t bz_payload_offset = 0x248;
constexpr size_t bz_payload_length = 0x24c;
constexpr size_t bz_header_end = 0x250;
constexpr size_t bz_sector = 512;

bool is_bz_image(Bytes bytes) {
  return bytes.size() >= bz_header_end && has_at(bytes, bz_magic, "HdrS") &&
         load<uint16_t>(&bytes[bz_boot_flag], little) == 0xaa55;
}

// EFI's zboot (drivers/firmware/efi/libstub/zboot-header.S), which is also a Windows program.
constexpr size_t zboot_magic = 4;
constexpr size_t zboot_payload_offset = 8;
constexpr size_t zboot_payload_length = 12;
constexpr size_t pe_header_offset = 0x3c;
constexpr size_t pe_machine = 4;
constexpr size_t zboot_header_end = 0x40;

bool is_zboot(Bytes bytes) {
  return bytes.size() >= zboot_header_end && has_at(bytes, 0, "MZ") &&
         has_at(bytes, zboot_magic, "zimg");
}

/// The architecture of a flat Image: booting.rst of arm64, boot-image-header.rst of RISC-V.
std::string_view arch_of_flat(Bytes bytes) {
  if (has_at(bytes, 0x38, "ARMd")) return "arm64";
  if (has_at(bytes, 0x38, "RSC\x05")) return "riscv";
  return {};
}

struct Architecture {
  std::string_view name;  ///< in the kernel's sources and BTFHub
  uint16_t elf, pe = 0;   ///< the machine in the header of an ELF file, or Windows program
  std::array<std::string_view, 2> others{};  ///< what uname -m and distributions call it
};
constexpr Architecture architectures[] = {{"x86_64", EM_X86_64, 0x8664, {"amd64"}},
                                          {"x86", EM_386, 0, {"i386", "i686"}},
                                          {"arm64", EM_AARCH64, 0xaa64, {"aarch64"}},
                                          {"arm", EM_ARM},
                                          {"riscv", EM_RISCV, 0x5064, {"riscv64"}},
                                          {"powerpc", EM_PPC64, 0, {"ppc64", "ppc64le"}},
                                          {"s390", EM_S390, 0, {"s390x"}},
                                          {"mips", EM_MIPS},
                                          {"loongarch", 258, 0x6264, {"loongarch64"}}};

/// The name of the architecture whose `field` has the value; "" if none has.
template <typename Value>
std::string_view arch_with(Value Architecture::*field, Value value) {
  auto found = std::ranges::find(architectures, value, field);
  return found == std::end(architectures) ? "" : found->name;
}

std::string_view arch_of_pe(Bytes bytes) {
  size_t at = size_t{load<uint32_t>(&bytes[pe_header_offset], little)} + pe_machine;
  if (at + sizeof(uint16_t) > bytes.size()) return {};
  auto machine = load<uint16_t>(&bytes[at], little);
  return machine == 0 ? "" : arch_with(&Architecture::pe, machine);
}

/// The parts of "6.1.0-50-amd64 (builder@host) #1 SMP ...", the text after "Linux version " or in a
/// bzImage.
struct Banner {
  std::string_view release, version;
};

std::optional<Banner> read_banner(std::string_view text) {
  constexpr size_t longest_banner = 1024;
  constexpr size_t longest_release = 64;  // of struct utsname
  // The release comes first: an image may be full of what begins like a banner.
  auto is_printable = [](char c) { return c > ' ' && c < '\x7f'; };
  std::string_view release = text.substr(0, longest_release + 1);
  release = release.substr(0, std::ranges::find_if_not(release, is_printable) - release.begin());
  if (release.empty() || release.size() > longest_release || release[0] < '0' || release[0] > '9')
    return std::nullopt;
  constexpr std::string_view ends("\0\n", 2);
  text = text.substr(0, longest_banner);
  if (text.size() > release.size() && text[release.size()] != ' ' &&
      ends.find(text[release.size()]) == ends.npos)
    return std::nullopt;
  text = text.substr(0, text.find_first_of(ends));
  size_t number = text.find('#');
  return Banner{release, number == text.npos ? std::string_view() : text.substr(number)};
}

void set_banner(KernelImage& image, const Banner& banner) {
  image.identity.release = banner.release;
  image.identity.version = banner.version;
}

/// The payload at `at` with `size` bytes, according to a header.
std::expected<Bytes, Error> payload_of(Bytes file, uint64_t at, uint64_t size) {
  if (at > file.size() || size > file.size() - at)
    return fail(
        "is cut off: its payload of {:#x} bytes at offset {:#x} is outside the file of {:#x} bytes",
        size, at, file.size());
  return file.subspan(static_cast<size_t>(at), static_cast<size_t>(size));
}

std::expected<Bytes, Error> open_bz_image(Bytes file, KernelImage& image) {
  constexpr uint16_t first_with_payload = 0x208;
  if (load<uint16_t>(&file[bz_protocol], little) < first_with_payload)
    return fail("is a bzImage of a kernel before 2.6.26");
  image.identity.arch = "x86_64";  // an ELF file inside may correct this
  size_t text = size_t{load<uint16_t>(&file[bz_version_text], little)} + bz_sector;
  if (text != bz_sector && text < file.size())
    if (auto banner = read_banner(text_of(file.subspan(text)))) set_banner(image, *banner);
  size_t sectors = std::to_integer<size_t>(file[bz_setup_sectors]);
  if (sectors == 0) sectors = 4;
  return payload_of(file,
                    (sectors + 1) * bz_sector + load<uint32_t>(&file[bz_payload_offset], little),
                    load<uint32_t>(&file[bz_payload_length], little));
}

std::expected<Bytes, Error> open_zboot(Bytes file, KernelImage& image) {
  image.identity.arch = arch_of_pe(file);
  return payload_of(file, load<uint32_t>(&file[zboot_payload_offset], little),
                    load<uint32_t>(&file[zboot_payload_length], little));
}

/// How to unpack a package of a distribution, or "".
std::string_view package_advice(Bytes bytes) {
  std::string_view text = text_of(bytes);
  if (text.starts_with("!<arch>\ndebian-")) return "dpkg -x FILE DIRECTORY";
  return text.starts_with("\xed\xab\xee\xdb") ? "rpm2cpio FILE | cpio -id" : "";
}

/// Removes the outermost container of the contents. Returns whether there was one. Decompression
/// takes from `limit`.
std::expected<bool, Error> unwrap(KernelImage& image, DecompressionLimit& limit) {
  Bytes bytes = image.contents.bytes;
  std::expected<Bytes, Error> inner;
  if (is_bz_image(bytes)) {
    inner = open_bz_image(bytes, image);
  } else if (is_zboot(bytes)) {
    inner = open_zboot(bytes, image);
  } else if (is_tar(bytes)) {
    auto member = TRY(find_tar_member(bytes, ".btf"));
    image.member = member.name;
    inner = member.contents;
  } else if (compression_of(bytes) != Compression::None) {
    auto decompressed = TRY(decompress(bytes, limit));
    image.decompressed_size = decompressed.bytes.size();
    image.contents = std::move(decompressed);
    return true;
  } else {
    return false;
  }
  if (!inner) return std::unexpected(inner.error());
  image.contents = image.contents.part(*inner);
  return true;
}

/// The read-only data of an image.
Bytes constants_of(const KernelImage& image) {
  if (image.elf)
    if (auto section = image.elf->find(".rodata"))
      return image.elf->contents(image.elf->sections[*section]);
  return image.form == KernelImage::Form::Flat ? image.contents.bytes : Bytes();
}

std::optional<Banner> find_banner(Bytes bytes) {
  constexpr std::string_view begin = "Linux version ";
  std::string_view text = text_of(bytes);
  for (size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    at += begin.size();
    if (auto banner = read_banner(text.substr(at))) return banner;
  }
  return std::nullopt;
}

std::string hexadecimal(Bytes bytes) {
  std::string text;
  for (std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

constexpr size_t note_header = 12;
constexpr size_t longest_build_id = 64;

std::string build_id_of_elf(const ElfFile& elf) {
  size_t unread = elf.image.size();  // notes do not share bytes, unless a file is hostile
  for (const ElfSection& section : elf.sections)
    if (section.type == SHT_NOTE && elf.contents(section).size() <= unread) {
      unread -= elf.contents(section).size();
      if (std::string id = find_build_id(elf.contents(section), elf.order); !id.empty()) return id;
    }
  return {};
}

/// The size of an ELF file inside an image according to its header: the section headers come last.
size_t size_of_elf_within(Bytes bytes) {
  auto size_by = [&]<typename Header>(Header header) -> uint64_t {
    if (bytes.size() < sizeof header) return bytes.size();
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_ident[EI_VERSION] != EV_CURRENT)
      return SELFMAG;
    return header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize;
  };
  uint64_t size = SELFMAG;
  if (bytes.size() > EI_CLASS && bytes[EI_CLASS] == std::byte{ELFCLASS64})
    size = size_by(Elf64_Ehdr{});
  if (bytes.size() > EI_CLASS && bytes[EI_CLASS] == std::byte{ELFCLASS32})
    size = size_by(Elf32_Ehdr{});
  return static_cast<size_t>(std::clamp<uint64_t>(size, SELFMAG, bytes.size()));
}

/// The build id of a flat image: the first such note outside of the ELF libraries in it (vdso),
/// which the kernel maps into programs.
std::string build_id_of_flat(Bytes bytes) {
  constexpr std::string_view note_begin("\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0", 16);
  constexpr std::string_view elf_begin = ELFMAG;
  constexpr size_t sha1_size = 20;
  std::string_view text = text_of(bytes);
  size_t elf_at = text.find(elf_begin), note_at = text.find(note_begin);
  while (note_at != text.npos) {
    if (elf_at >= note_at) {
      Bytes rest = bytes.subspan(note_at + note_begin.size());
      return rest.size() < sha1_size ? std::string() : hexadecimal(rest.first(sha1_size));
    }
    size_t end = elf_at + size_of_elf_within(bytes.subspan(elf_at));
    elf_at = text.find(elf_begin, end);
    if (end > note_at) note_at = text.find(note_begin, end);
  }
  return {};
}

/// The largest BTF blob in a flat image, found by its header and checked by the ends of its
/// strings.
std::optional<Bytes> search_btf(Bytes bytes) {
  constexpr size_t alignment = 4;
  constexpr std::array<char, 4> begin = {static_cast<char>(btf_magic & 0xff),
                                         static_cast<char>(btf_magic >> 8), btf_version, '\0'};
  std::string_view text = text_of(bytes);
  std::optional<Bytes> largest;
  for (size_t at = 0; (at = text.find({begin.data(), begin.size()}, at)) != text.npos; ++at) {
    if (at % alignment != 0) continue;
    auto header = read_header(bytes.subspan(at));
    if (!header || header->strings_size == 0 || header->types_size == 0) continue;
    size_t strings = at + header->strings_offset;
    if (text[strings] != '\0' || text[strings + header->strings_size - 1] != '\0') continue;
    size_t end = std::max({header->types_offset + header->types_size,
                           header->strings_offset + header->strings_size,
                           header->layout_offset + header->layout_size});
    if (!largest || largest->size() < end) largest = bytes.subspan(at, end);
  }
  return largest;
}

}  // namespace

std::expected<KernelImage, Error> unpack_kernel(OwnedBytes file) {
  constexpr int max_containers = 5;
  if (std::string_view advice = package_advice(file.bytes); !advice.empty())
    return fail("is a package: {} unpacks it", advice);
  auto limit = DecompressionLimit::of_kernel(file.bytes.size());
  KernelImage image;
  image.contents = std::move(file);
  for (int i = 0; i <= max_containers; ++i) {
    Bytes bytes = image.contents.bytes;
    if (is_raw_btf(bytes)) return image;
    if (is_elf(bytes)) {
      auto elf = TRY(read_elf(bytes));
      image.form = KernelImage::Form::Elf;
      image.elf = std::move(elf);
      return image;
    }
    auto had_container = TRY(unwrap(image, limit));
    if (had_container) continue;
    std::string_view arch = arch_of_flat(bytes);
    if (arch.empty()) return fail("is not BTF, an ELF file or a kernel image");
    image.form = KernelImage::Form::Flat;
    image.identity.arch = arch;
    return image;
  }
  return fail("is wrapped in more than {} formats", max_containers);
}

OwnedBytes keep_part(const KernelImage& image, std::span<const std::byte> part) {
  if (part.size() < image.decompressed_size / 2)
    return OwnedBytes::of(std::vector(part.begin(), part.end()));
  return image.contents.part(part);
}

bool begins_like_kernel(std::span<const std::byte> begin) {
  return is_raw_btf(begin) || is_bz_image(begin) || is_zboot(begin) || !arch_of_flat(begin).empty();
}

bool begins_like_wrapped_kernel(std::span<const std::byte> begin) {
  return is_elf(begin) || compression_of(begin) != Compression::None || is_tar(begin);
}

bool is_packed(std::span<const std::byte> begin) {
  return !is_raw_btf(begin) && !is_elf(begin) &&
         (begins_like_kernel(begin) || begins_like_wrapped_kernel(begin) ||
          !package_advice(begin).empty());
}

void identify(KernelImage& image) {
  bool is_loaded = image.elf && (image.elf->type == ET_EXEC || image.elf->type == ET_DYN);
  if (image.elf) image.identity.arch = arch_with(&Architecture::elf, image.elf->machine);
  if (image.identity.release.empty() && (is_loaded || image.form == KernelImage::Form::Flat))
    if (auto banner = find_banner(constants_of(image))) set_banner(image, *banner);
  if (!image.identity.build_id.empty()) return;
  if (is_loaded) image.identity.build_id = build_id_of_elf(*image.elf);
  if (image.form == KernelImage::Form::Flat)
    image.identity.build_id = build_id_of_flat(image.contents.bytes);
}

std::expected<std::span<const std::byte>, Error> find_image_btf(const KernelImage& image) {
  if (image.form == KernelImage::Form::Btf) return image.contents.bytes;
  if (image.elf) {
    auto section = image.elf->find(".BTF");
    if (!section) return fail("has no section .BTF: built without CONFIG_DEBUG_INFO_BTF?");
    TRY(check_contents(image.elf->sections[*section]));
    return image.elf->contents(image.elf->sections[*section]);
  }
  auto btf = search_btf(image.contents.bytes);
  if (!btf) return fail("has no BTF in it: built without CONFIG_DEBUG_INFO_BTF?");
  return *btf;
}

std::span<const std::byte> find_image_config(const KernelImage& image) {
  constexpr std::string_view begin = "IKCFG_ST";
  Bytes constants = constants_of(image);
  std::string_view text = text_of(constants);
  for (size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    at += begin.size();
    Bytes config = constants.subspan(at);
    if (compression_of(config) == Compression::Gzip) return config;
  }
  return {};
}

std::string find_build_id(Bytes notes, std::endian order) {
  for (size_t at = 0; notes.size() - at >= note_header;) {
    uint64_t name_size = load<uint32_t>(&notes[at], order);
    uint64_t size = load<uint32_t>(&notes[at + 4], order);
    auto type = load<uint32_t>(&notes[at + 8], order);
    uint64_t contents = at + note_header + (name_size + 3) / 4 * 4;
    uint64_t end = contents + (size + 3) / 4 * 4;
    if (end > notes.size()) return {};
    if (type == NT_GNU_BUILD_ID && size != 0 && size <= longest_build_id &&
        name_size == sizeof ELF_NOTE_GNU && has_at(notes, at + note_header, ELF_NOTE_GNU))
      return hexadecimal(notes.subspan(static_cast<size_t>(contents), static_cast<size_t>(size)));
    at = static_cast<size_t>(end);
  }
  return {};
}

std::string_view arch_name(std::string_view machine) {
  for (const Architecture& architecture : architectures)
    if (!machine.empty() && std::ranges::count(architecture.others, machine) != 0)
      return architecture.name;
  return machine;
}

bool is_arch_name(std::string_view name) {
  return !arch_with(&Architecture::name, arch_name(name)).empty();
}

}  // namespace bpflink
