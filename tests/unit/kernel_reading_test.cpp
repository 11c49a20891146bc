// Kernels in every file format, and their facts
#include <doctest/doctest.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>

#include "../api/fixtures.hpp"
#include "bpflink/btf_query.hpp"
#include "bpflink/distill.hpp"
#include "kernel_files.hpp"
#include "linker/io/tar.hpp"
#include "linker/kernels/decompress.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/kernels/kernel_image.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

constexpr std::string_view release = "6.1.0-50-amd64";
constexpr std::string_view banner =
    "6.1.0-50-amd64 (builder@host) #1 SMP Debian 6.1.176-1 (2026-07-02)";

/// BTF with an int and `struct task { int pid; }`
Blob kernel_btf() {
  BtfBuilder types;
  constexpr uint32_t int_of_32_bits = 1u << 24 | 32;
  uint32_t id = types.add_type(types.add_string("int"), BtfBuilder::info(BtfKind::Int), 4,
                               std::span(&int_of_32_bits, 1));
  const uint32_t member[] = {types.add_string("pid"), id, 0};
  types.add_type(types.add_string("task"), BtfBuilder::info(BtfKind::Struct, 1), 4, member);
  return *types.finish(std::endian::little);
}

/// Split from that: `struct conn { struct task owner; }`
Blob module_btf(const Btf& base) {
  BtfBuilder types(&base);
  const uint32_t member[] = {types.add_string("owner"), 2, 0};
  types.add_type(types.add_string("conn"), BtfBuilder::info(BtfKind::Struct, 1), 4, member);
  return *types.finish(std::endian::little);
}

const char config_text[] = "# Linux\nCONFIG_BPF=y\nCONFIG_HZ=250\n# CONFIG_NUMA is not set\n";

Blob constants() {
  const Blob parts[] = {bytes_of("Linux version %s\nLinux version "), bytes_of(banner),
                        bytes_of(std::string_view("\0IKCFG_ST", 9)), gzip(bytes_of(config_text)),
                        bytes_of("IKCFG_ED")};
  return concatenated(parts);
}

Blob vmlinux(uint16_t machine = EM_X86_64) {
  return elf_file(ET_EXEC, machine,
                  {{".rodata", constants()},
                   {".notes", build_id_note(0xab), SHT_NOTE},
                   {".BTF", kernel_btf()}});
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

class Files : public TemporaryDirectory {
 public:
  std::string write(const std::string& name, const Blob& contents) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(contents.data()),
               static_cast<std::streamsize>(contents.size()));
    return file(name);
  }
};

std::expected<std::unique_ptr<Kernel>, Error> read_one(const std::string& path,
                                                       KernelOptions options = {}) {
  auto sources = find_kernels(std::span(&path, 1), std::move(options));
  if (!sources) return std::unexpected(sources.error());
  REQUIRE(sources->size() == 1);
  return read_kernel(sources->front());
}

std::unique_ptr<Kernel> read_good(const std::string& path, KernelOptions options = {}) {
  auto kernel = read_one(path, std::move(options));
  INFO((kernel ? "" : kernel.error().message));
  REQUIRE(kernel);
  CHECK(find_type((*kernel)->btf, BtfKind::Struct, "task") == 2);
  return std::move(*kernel);
}

bool fails_with(const std::string& text, const std::string& path, KernelOptions options = {}) {
  auto kernel = read_one(path, std::move(options));
  if (kernel) return false;
  INFO(kernel.error().message);
  return kernel.error().message.find(text) != std::string::npos;
}

using Compressor = Blob (*)(const Blob&);
const std::pair<const char*, Compressor> compressors[] = {
    {"gzip", gzip}, {"xz", xz}, {"lzma", lzma}, {"zstd", zstd}, {"lz4", lz4}, {"bzip2", bzip2}};

std::expected<Blob, Error> decompressed(std::span<const std::byte> bytes,
                                        uint64_t limit = uint64_t{1} << 30) {
  DecompressionLimit left(limit);
  auto whole = decompress(bytes, left);
  if (!whole) return std::unexpected(whole.error());
  return Blob(whole->bytes.begin(), whole->bytes.end());
}

}  // namespace

TEST_CASE("decompression, up to a limit") {
  Blob text = bytes_of(repeated("the same again and again, ", 200'000));
  for (auto [name, compress] : compressors) {
    CAPTURE(name);
    Blob compressed = compress(text);
    auto whole = decompressed(compressed);
    REQUIRE(whole);
    CHECK(std::ranges::equal(*whole, text));
    CHECK(decompressed(compressed, text.size()));
    auto too_large = decompressed(compressed, text.size() - 1);
    REQUIRE_FALSE(too_large);
    CHECK(too_large.error().message == "decompresses to more than 4 MiB");
  }
}

TEST_CASE("what decompresses to far more than a kernel can is refused early") {
  Blob zeros(size_t{100} << 20);
  auto whole = unpack_kernel({.bytes = zstd(zeros)});
  REQUIRE_FALSE(whole);
  CHECK(whole.error().message.starts_with("decompresses to more than "));
}

TEST_CASE("containers in containers have one limit, which follows from the size of the file") {
  Blob text = kernel_btf();
  std::mt19937 random(1);
  while (text.size() < 200'000) text.push_back(static_cast<std::byte>(random()));
  for (auto [name, compress] : compressors) {
    CAPTURE(name);
    // Each layer takes from the limit; two of a kernel's size are within it.
    auto file = gzip(compress(text));
    auto unpacked = unpack_kernel({.bytes = file});
    REQUIRE(unpacked);
    CHECK(std::ranges::equal(unpacked->contents.bytes, text));
    // Each layer of zeros is far below the size of a kernel.
    Blob bomb = gzip(gzip(compress(Blob(size_t{40} << 20))));
    auto refused = unpack_kernel({.bytes = bomb});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with("decompresses to more than "));
  }
  auto limit = DecompressionLimit::of_kernel(1000);
  CHECK(limit.left() == (256 << 10) + 100'000);
  limit.take(100'000);
  CHECK(limit.left() == 256 << 10);
  limit.take(UINT64_MAX);
  CHECK(limit.left() == 0);
  CHECK(DecompressionLimit::of_kernel(60 << 20).left() == uint64_t{1} << 30);
}

TEST_CASE("concatenated streams are one; bytes after them are ignored") {
  for (auto [name, compress] : compressors) {
    if (compress == lzma) continue;  // it has no magic number
    CAPTURE(name);
    const Blob parts[] = {compress(bytes_of("one ")), compress(bytes_of("two")),
                          bytes_of(std::string_view("\7\0\0\0", 4))};
    auto whole = decompressed(concatenated(parts));
    REQUIRE(whole);
    CHECK(std::ranges::equal(*whole, bytes_of("one two")));
  }
}

TEST_CASE("truncated and damaged compressed bytes are errors") {
  std::mt19937 random(1);
  Blob text = kernel_btf();
  for (int i = 0; i < 50'000; ++i) text.push_back(static_cast<std::byte>(random() % 50));
  for (auto [name, compress] : compressors) {
    CAPTURE(name);
    Blob compressed = compress(text);
    for (size_t size : {compressed.size() / 2, compressed.size() - 20}) {
      auto cut = decompressed(std::span(compressed).first(size));
      REQUIRE_FALSE(cut);
      CHECK(cut.error().message == fmt::format("is cut off: the {} stream has no end", name));
    }
    Blob damaged = compressed;
    std::fill(damaged.begin() + 13, damaged.end(), std::byte{0x55});
    if (compress == lz4)
      damaged = bytes_of(std::string_view("\2!L\x18\4\0\0\0\xff\xff\xff\xff", 12));
    auto wrong = decompressed(damaged);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message == fmt::format("is damaged: not a valid {} stream", name));
    for (int i = 0; i < 200; ++i) {
      Blob mutated = compressed;
      mutated[random() % mutated.size()] ^= static_cast<std::byte>(1 + random() % 255);
      auto result = decompressed(mutated);  // it may succeed
      if (result) CHECK(result->size() < (64 << 20));
    }
  }
}

TEST_CASE("bytes that are not compressed, or need too much memory") {
  auto error_of = [](std::string_view text) {
    auto result = decompressed(bytes_of(text));
    REQUIRE_FALSE(result);
    return result.error().message;
  };
  CHECK(error_of("text") == "is not compressed");
  // A dictionary of 256 MiB
  CHECK(error_of(std::string_view("]\0\0\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0", 18)) ==
        "needs more memory than any preset of xz");
}

TEST_CASE("a bzImage contains its release, and its payload the rest") {
  Files files;
  for (auto [name, compress] : compressors) {
    CAPTURE(name);
    Blob payload = compress(vmlinux());
    // gzip stores the size; for other formats, the kernel's build appends it.
    if (compress != gzip) payload.resize(payload.size() + 4, std::byte{1});
    auto kernel = read_good(files.write(name, bz_image(payload, banner)));
    CHECK(kernel->identity.release == release);
    CHECK(kernel->identity.version == "#1 SMP Debian 6.1.176-1 (2026-07-02)");
    CHECK(kernel->version_code == 0x601b0);
    CHECK(kernel->identity.arch == "x86_64");
    CHECK(kernel->identity.build_id == repeated("ab", 20));
    REQUIRE(kernel->config);
    CHECK(kernel->config->find("CONFIG_HZ")->number == 250);
  }
}

TEST_CASE("an ELF file, compressed or not, and arm64 images") {
  Files files;
  for (const Blob& blob : {vmlinux(), zstd(vmlinux())}) {
    auto kernel = read_good(files.write("vmlinux", blob));
    CHECK(kernel->identity.release == release);
    CHECK(kernel->identity.arch == "x86_64");
    CHECK(kernel->identity.build_id == repeated("ab", 20));
    CHECK(kernel->config);
  }
  // A library in the image has a build id of its own. BTF's magic number alone is not BTF.
  Blob library = elf_file(ET_DYN, EM_AARCH64, {{".note", build_id_note(0xcd), SHT_NOTE}});
  const Blob parts[] = {library, constants(),
                        bytes_of(std::string_view("\x9f\xeb\1\0\x18\0\0\0", 8)), kernel_btf(),
                        build_id_note(0xab)};
  Blob image = flat_image(parts);
  for (const Blob& blob : {image, gzip(image), zboot(gzip(image))}) {
    auto kernel = read_good(files.write("Image", blob));
    CHECK(kernel->identity.release == release);
    CHECK(kernel->identity.arch == "arm64");
    CHECK(kernel->identity.build_id == repeated("ab", 20));
    CHECK(kernel->config);
  }
}

TEST_CASE("paths of BTFHub's files name the kernel") {
  Files files;
  Blob archive = tar({{"5.4.0-42-generic.btf", kernel_btf()}});
  auto kernel =
      read_good(files.write("ubuntu/20.04/x86_64/5.4.0-42-generic.btf.tar.xz", xz(archive)));
  CHECK(kernel->identity.release == "5.4.0-42-generic");
  CHECK(kernel->identity.arch == "x86_64");
  CHECK(kernel->version_code == 0x50400);
  CHECK_FALSE(kernel->config);

  kernel = read_good(files.write("debian/12/arm64/6.1.0-9-arm64.btf", kernel_btf()));
  CHECK(kernel->identity.release == "6.1.0-9-arm64");
  CHECK(kernel->identity.arch == "arm64");

  kernel = read_good(files.write("k.tar", archive));  // the member has a name as well
  CHECK(kernel->identity.release == "5.4.0-42-generic");
  CHECK(kernel->identity.arch.empty());
  kernel = read_good(files.write("k.btf.zst", zstd(kernel_btf())));
  CHECK(kernel->identity.release.empty());
  CHECK_FALSE(kernel->version_code);
}

TEST_CASE("an archive has one file of BTF") {
  Blob btf = kernel_btf();
  auto name_of = [](const Blob& archive) {
    auto member = find_tar_member(archive, ".btf");
    return member ? std::string(member->name) : member.error().message;
  };
  CHECK(name_of(tar({{"README", btf}, {"k.btf", btf}})) == "k.btf");
  CHECK(name_of(tar({{"vmlinux", btf}})) == "vmlinux");
  CHECK(name_of(tar({{"a.btf", btf}, {"b", btf}, {"c.btf", btf}})) ==
        "is a tar archive of several files named *.btf: a.btf, c.btf");
  CHECK(name_of(tar({{"a", btf}, {"b", btf}})) ==
        "is a tar archive of 2 files, none of them named *.btf");
  CHECK(name_of(tar({})) == "is a tar archive of 0 files, none of them named *.btf");
  Blob archive = tar({{"a", Blob(5000)}});
  archive.resize(2000);
  CHECK(name_of(archive) == "is cut off: the tar archive has no end");
  archive[124] = std::byte{'x'};
  CHECK(name_of(archive) == "is damaged: not a valid tar archive");
}

TEST_CASE("a file that is no kernel, or has no types, is an error with the reason") {
  Files files;
  CHECK(
      fails_with("is not BTF, an ELF file or a kernel image", files.write("a", bytes_of("text"))));
  CHECK(fails_with("is not BTF, an ELF file or a kernel image", files.write("a", {})));
  Blob without = elf_file(ET_EXEC, EM_X86_64, {{".rodata", constants()}});
  CHECK(fails_with("has no section .BTF: built without CONFIG_DEBUG_INFO_BTF?",
                   files.write("a", bz_image(gzip(without), banner))));
  const Blob parts[] = {constants()};
  CHECK(fails_with("has no BTF in it: built without CONFIG_DEBUG_INFO_BTF?",
                   files.write("a", flat_image(parts))));
  Blob image = bz_image(xz(vmlinux()), banner);
  image.resize(0x600);
  constexpr auto outside =
      "is cut off: its payload of {:#x} bytes at offset 0xa60 is outside the file of 0x600 bytes";
  CHECK(fails_with(fmt::format(outside, xz(vmlinux()).size()), files.write("a", image)));
  image[0x206] = std::byte{7};
  CHECK(fails_with("is a bzImage of a kernel before 2.6.26", files.write("a", image)));
  const Blob broken[] = {bytes_of("IKCFG_ST\x1f\x8b\x08"), kernel_btf()};
  CHECK(fails_with(": its built-in configuration is ", files.write("a", flat_image(broken))));
  Blob nested = kernel_btf();
  for (int i = 0; i < 6; ++i) nested = gzip(nested);
  CHECK(fails_with("is wrapped in more than 5 formats", files.write("a", nested)));
  CHECK(fails_with("cannot open", files.file("none")));
  Blob base_blob = kernel_btf();
  Blob module =
      elf_file(ET_REL, EM_X86_64,
               {{".BTF", module_btf(*Btf::parse(base_blob))}, {".gnu.linkonce.this_module", {}}});
  CHECK(fails_with(": is a module: --modules takes the directory that it is in",
                   files.write("a.ko", module)));
}

TEST_CASE("mutated images are read or are errors") {
  int parsed = 0;
  std::mt19937 random(2);
  const Blob parts[] = {constants(), kernel_btf(), build_id_note(1)};
  for (const Blob& image : {bz_image(lz4(vmlinux()), banner), bz_image(vmlinux(), banner),
                            flat_image(parts), tar({{"a.btf", kernel_btf()}}), vmlinux()}) {
    for (int i = 0; i < 3000; ++i) {
      Blob mutated = image;
      for (unsigned changes = random() % 8; changes-- > 0;)
        mutated[random() % mutated.size()] = static_cast<std::byte>(random() % 2 ? random() : 0xff);
      if (random() % 4 == 0) mutated.resize(random() % mutated.size());
      auto unpacked = unpack_kernel({.bytes = mutated});
      if (!unpacked) continue;
      identify(*unpacked);
      auto config = find_image_config(*unpacked);
      if (!config.empty()) parsed += KernelConfig::parse(config).has_value();
      auto btf = find_image_btf(*unpacked);
      if (btf) parsed += Btf::parse(*btf).has_value();
    }
  }
  CHECK(parsed > 0);
}

TEST_CASE("a configuration has the kernel's values") {
  auto config = KernelConfig::parse(
      bytes_of("CONFIG_A=y\nCONFIG_B=m\nCONFIG_TEXT=\"a b\"\nCONFIG_NUMBER=-7\nCONFIG_HEX=0x1F\n"
               "CONFIG_BIG=18446744073709551616\n# CONFIG_OFF is not set\nCONFIG_LAST=n"));
  REQUIRE(config);
  CHECK(config->find("CONFIG_A")->tristate == 'y');
  CHECK(config->find("CONFIG_B")->tristate == 'm');
  CHECK(config->find("CONFIG_LAST")->tristate == 'n');
  CHECK(config->find("CONFIG_TEXT")->text == "a b");
  CHECK(config->find("CONFIG_TEXT")->kind == ConfigValue::Kind::Text);
  CHECK(config->find("CONFIG_NUMBER")->number == static_cast<uint64_t>(-7));
  CHECK(config->find("CONFIG_HEX")->number == 31);
  CHECK(config->find("CONFIG_BIG")->kind == ConfigValue::Kind::Text);
  CHECK_FALSE(config->find("CONFIG_OFF"));
  CHECK_FALSE(config->find("CONFIG_"));
  CHECK_FALSE(config->find("B"));
  CHECK(KernelConfig::parse(bytes_of("<html>")).error().message ==
        "is not a kernel configuration: it sets no CONFIG_ option");
  CHECK(KernelConfig::parse(Blob((16 << 20) + 1)).error().message ==
        "is larger than any kernel configuration");
}

TEST_CASE("configurations are beside kernels, or are given") {
  Files files;
  std::string path = files.write("a/6.1.0-9-arm64.btf", kernel_btf());
  files.write("a/config-6.1.0-9-arm64", bytes_of("CONFIG_HZ=100\n"));
  CHECK(read_good(path)->config->find("CONFIG_HZ")->number == 100);
  CHECK_FALSE(read_good(path, {.reads_configs = false})->config);
  std::string image =
      files.write("6.1.0-50-amd64/vmlinuz",
                  bz_image(gzip(elf_file(ET_EXEC, EM_X86_64, {{".BTF", kernel_btf()}})), banner));
  CHECK_FALSE(read_good(image)->config);
  files.write("6.1.0-50-amd64/config", bytes_of("CONFIG_HZ=200\n"));
  CHECK(read_good(image)->config->find("CONFIG_HZ")->number == 200);
  std::string given = files.write("config.gz", gzip(bytes_of("CONFIG_HZ=300\n")));
  CHECK(read_good(path, {.config = given})->config->find("CONFIG_HZ")->number == 300);
  CHECK(fails_with("cannot open", path, {.config = files.file("none")}));
  CHECK(fails_with("sets no CONFIG_ option", path, {.config = files.write("c", bytes_of("x"))}));
}

TEST_CASE("the version of Debian's and Ubuntu's kernels differs from their release") {
  CHECK(linux_version_code("6.1.0-50-amd64", "#1 SMP Debian 6.1.176-1", "") == 0x601b0);
  CHECK(linux_version_code("5.4.0-42-generic", "#46-Ubuntu SMP",
                           "Ubuntu 5.4.0-42.46-generic 5.4.44") == 0x5042c);
  CHECK(linux_version_code("5.14.0-70.el9.x86_64", "#1 SMP", "") == 0x50e00);
  CHECK(linux_version_code("4.9.337", "", "") == 0x409ff);
  CHECK(linux_version_code("6.1-rc1", "", "") == 0x60100);
  CHECK(linux_version_code("7.3-cloud-amd64", "", "") == 0x70300);
  CHECK(hides_linux_version("7.3-cloud-amd64", "#1 SMP Debian 7.3~rc7-1", ""));
  CHECK_FALSE(hides_linux_version("7.3-cloud-amd64", "#1 SMP Debian 7.3.1-1", ""));
  CHECK_FALSE(hides_linux_version("7.3-generic", "", "Ubuntu 7.3-1-generic 7.3.8"));
  CHECK_FALSE(hides_linux_version("7.3.0-rc7", "", ""));
  CHECK_FALSE(hides_linux_version("7.3", "", ""));
  CHECK_FALSE(hides_linux_version("", "", ""));
  CHECK_FALSE(linux_version_code("6.", "", ""));
  CHECK_FALSE(linux_version_code("6.1.el9", "", ""));
  CHECK_FALSE(linux_version_code("", "", "a b"));
  Files files;
  auto kernel = read_good(files.write("k.btf", kernel_btf()), {.release = "5.15.7"});
  CHECK(kernel->identity.release == "5.15.7");
  CHECK(kernel->version_code == 0x50f07);
}

TEST_CASE("a manifest adds facts that kernels lack") {
  Files files;
  std::string path = files.write("kernels/one.btf", kernel_btf());
  std::string image = files.write("kernels/vmlinuz", bz_image(gzip(vmlinux()), banner));
  files.write("config-one", bytes_of("CONFIG_HZ=1000\n"));
  KernelOptions options{.manifest = files.write("kernels.json", bytes_of(R"([
    {"file": "kernels/one.btf", "release": "5.15.7-one", "arch": "aarch64", "build_id": "12",
     "config": "config-one"},
    {"file": "kernels/vmlinuz", "release": "1.2.3", "arch": "arm64"},
    {"file": "kernels/x86_64/5.4.0-42.btf", "release": "1.2.3", "build_id": "34"},
    {"file": "kernels/5.4.0-43.btf", "release": "5.4.43"}])"))};
  auto kernel = read_good(path, options);
  CHECK(kernel->identity.release == "5.15.7-one");
  CHECK(kernel->identity.arch == "arm64");
  CHECK(kernel->identity.build_id == "12");
  CHECK(kernel->config->find("CONFIG_HZ")->number == 1000);
  kernel = read_good(image, options);
  CHECK(kernel->identity.release == release);
  CHECK(kernel->identity.arch == "x86_64");
  kernel = read_good(files.write("kernels/x86_64/5.4.0-42.btf", kernel_btf()), options);
  CHECK(kernel->identity.release == "5.4.0-42");  // BTFHub's path
  CHECK(kernel->identity.build_id == "34");
  kernel = read_good(files.write("kernels/5.4.0-43.btf", kernel_btf()), options);
  CHECK(kernel->identity.release == "5.4.43");

  const std::pair<const char*, const char*> wrong[] = {
      {"{}", ": is not a list in JSON"},
      {"[", ": is not a list in JSON"},
      {"[1]", ": entry 1 is not an object"},
      {R"([{"release": "1"}])", "entry 1 has no \"file\""},
      {R"([{"file": "a"}, {"file": 1}])", "entry 2 \"file\" is not a string"},
      {R"([{"file": "a", "relase": "1"}])", "entry 1 has the unknown key \"relase\""}};
  for (auto [text, message] : wrong) {
    CAPTURE(text);
    CHECK(fails_with(message, path, {.manifest = files.write("wrong.json", bytes_of(text))}));
  }
  std::string large = files.write("large.json", {});
  std::filesystem::resize_file(large, (64 << 20) + 1);
  CHECK(fails_with(": is too large for a manifest", path, {.manifest = large}));
}

TEST_CASE("a directory yields its kernels, sorted") {
  Files files;
  files.write("d/b/vmlinuz-6.1", bz_image(gzip(vmlinux()), banner));
  files.write("d/b/config-6.1", bytes_of(config_text));
  files.write("d/b/initrd.img", gzip(bytes_of("cpio")));
  files.write("d/b/hello", elf_file(ET_EXEC, EM_X86_64, {}));
  files.write("d/a/x86_64/5.4.0.btf.tar.xz", xz(tar({{"5.4.0.btf", kernel_btf()}})));
  files.write("d/c", kernel_btf());
  files.write("d/.hidden", kernel_btf());
  std::filesystem::create_symlink("..", files.file("d/b/loop"));
  std::filesystem::create_symlink("c", files.file("d/same"));
  std::string directory = files.file("d");
  auto sources = find_kernels(std::span(&directory, 1), {});
  REQUIRE(sources);
  std::vector<std::string> names;
  for (const KernelSource& source : *sources) names.push_back(source.name.substr(directory.size()));
  CHECK(names == std::vector<std::string>{"/a/x86_64/5.4.0.btf.tar.xz", "/b/vmlinuz-6.1", "/c"});

  files.write("empty/text", bytes_of("text"));
  directory = files.file("empty");
  auto none = find_kernels(std::span(&directory, 1), {});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == directory + ": has no kernel in it");

  std::string deep = "deep";
  for (int i = 0; i < 65; ++i) deep += "/d";
  files.write(deep + "/kernel", kernel_btf());
  directory = files.file("deep");
  CHECK(find_kernels(std::span(&directory, 1), {}).error().message ==
        files.file(deep) + ": is too deep");
}

TEST_CASE("modules are split from their kernel") {
  Files files;
  std::string path = files.write("6.1.0-9-arm64.btf", kernel_btf());
  Blob base_blob = kernel_btf();
  Btf base = *Btf::parse(base_blob);
  Blob split = module_btf(base);
  Blob object = elf_file(ET_REL, EM_AARCH64, {{".BTF", split}});
  files.write("m/6.1.0-9-arm64/kernel/nf-one.ko.xz", xz(object));
  files.write("m/6.1.0-9-arm64/kernel/two.ko", object);
  files.write("m/6.1.0-9-arm64/kernel/plain.ko.gz", gzip(elf_file(ET_REL, EM_AARCH64, {})));
  files.write("m/6.1.0-9-arm64/modules.dep", bytes_of("text"));
  files.write("m/5.4.0/three.ko", object);
  files.write("m/raw/four", split);
  files.write("m/raw/vmlinux", base_blob);
  files.write("m/raw/two.ko", object);  // a second copy
  Blob broken = zstd(object);
  broken.resize(40);
  files.write("m/raw/broken.ko.zst", broken);
  auto kernel = read_good(path, {.modules = files.file("m")});
  std::vector<std::string> names;
  for (const KernelModule& module : kernel->modules) {
    names.push_back(module.name);
    CHECK(module.btf.base() == &kernel->btf);
    CHECK(find_type(module.btf, BtfKind::Struct, "conn") == 3);
  }
  CHECK(names == std::vector<std::string>{"nf_one", "two", "four"});
  REQUIRE(kernel->notes.size() == 1);
  CHECK(kernel->notes[0].find("broken.ko.zst: is cut off") != std::string::npos);
}

TEST_CASE("a module with a distilled base continues the kernel that loads it") {
  Files files;
  Blob base_blob = kernel_btf();
  Btf base = *Btf::parse(base_blob);
  Blob split = module_btf(base);
  auto distilled = distill(*Btf::parse(split, &base), std::endian::little);
  REQUIRE(distilled);
  files.write("m/one.ko", elf_file(ET_REL, EM_X86_64,
                                   {{".BTF", *distilled->types.finish(std::endian::little)},
                                    {".BTF.base", distilled->base_blob}}));
  // Other builds: with types before the struct, with a larger one, with two, with none
  auto build = [](std::span<const uint32_t> sizes) {
    BtfBuilder types;
    types.add_type(types.add_string("before"), BtfBuilder::info(BtfKind::Float), 8);
    for (uint32_t size : sizes)
      types.add_type(types.add_string("task"), BtfBuilder::info(BtfKind::Struct), size);
    return *types.finish(std::endian::little);
  };
  auto read = [&](std::vector<uint32_t> sizes) {
    auto kernel = read_one(files.write("k.btf", build(sizes)), {.modules = files.file("m")});
    REQUIRE(kernel);
    return std::move(*kernel);
  };
  for (const std::vector<uint32_t>& sizes : {std::vector<uint32_t>{4}, {8, 4}}) {
    auto kernel = read(sizes);
    CHECK(kernel->notes.empty());
    REQUIRE(kernel->modules.size() == 1);
    const Btf& btf = kernel->modules[0].btf;
    CHECK(btf.base() == &kernel->btf);
    auto conn = find_type(btf, BtfKind::Struct, "conn");
    REQUIRE(conn);
    CHECK(btf.string(btf.type(*conn).member(0).name_off) == "owner");
    CHECK(btf.type(*conn).member(0).type == 1 + sizes.size());
  }
  const std::pair<std::vector<uint32_t>, const char*> wrong[] = {
      {{8}, "STRUCT task of its .BTF.base is not in the kernel"},
      {{4, 4}, "STRUCT task of its .BTF.base is there more than once in the kernel"},
      {{}, "STRUCT task of its .BTF.base is not in the kernel"}};
  for (const auto& [sizes, message] : wrong) {
    auto kernel = read(sizes);
    CHECK(kernel->modules.empty());
    REQUIRE(kernel->notes.size() == 1);
    CHECK(kernel->notes[0].ends_with(message));
  }

  std::vector<BtfKindLayout> layout(26);
  layout[25] = {4, 0, 0};
  distilled->types.set_layout(layout);
  const uint32_t word = 0;
  uint32_t id = distilled->types.add_type(0, 25u << 24, 0, std::span(&word, 1));
  files.write("m/one.ko", elf_file(ET_REL, EM_X86_64,
                                   {{".BTF", *distilled->types.finish(std::endian::little)},
                                    {".BTF.base", distilled->base_blob}}));
  auto kernel = read({4});
  REQUIRE(kernel->notes.size() == 1);
  CHECK(kernel->notes[0].ends_with(fmt::format("type [{}] is of an unknown kind", id)));
}
