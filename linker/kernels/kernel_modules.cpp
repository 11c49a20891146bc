#include "linker/kernels/kernel_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "linker/error.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/relocate_base.hpp"

namespace bpflink {
namespace {

/// "nf_conntrack" for "nf-conntrack.ko.xz", and "" if it is no module's file name.
std::string name_of_module_file(std::string_view file) {
  for (std::string_view ending : {".ko", ".ko.xz", ".ko.zst", ".ko.gz"})
    if (file.ends_with(ending)) {
      std::string name(file.substr(0, file.size() - ending.size()));
      std::ranges::replace(name, '-', '_');
      return name;
    }
  return {};
}

/// The module's name; "" if the file is no module. /sys/kernel/btf has BTF files named after
/// modules, and vmlinux.
std::string module_name(const std::string& path) {
  std::string file = std::filesystem::path(path).filename().string();
  std::string name = name_of_module_file(file);
  if (!name.empty() || file == "vmlinux") return name;
  std::array<std::byte, 2> begin;
  return begins_like_kernel(read_begin(path, begin)) ? file : std::string();
}

std::span<const std::byte> section(const KernelImage& image, std::string_view name) {
  auto index = image.elf ? image.elf->find(name) : std::nullopt;
  return index ? image.elf->contents(image.elf->sections[*index]) : std::span<const std::byte>();
}

/// Relocates BTF that is split from a distilled base to the kernel's types.
std::expected<std::span<const std::byte>, Error> keep_relocated(
    std::span<const std::byte> blob, std::span<const std::byte> base_blob, const Btf& kernel_btf,
    BlobStorage& storage) {
  auto base = Btf::parse(base_blob);
  if (!base) return fail(".BTF.base: {}", base.error().message);
  auto split = Btf::parse(blob, &*base);
  if (!split) return std::unexpected(split.error());
  auto relocated = relocate_base(*split, kernel_btf);
  if (!relocated) return std::unexpected(relocated.error());
  auto copy = ByteBuffer::copy_of(*relocated);
  if (!copy) return std::unexpected(copy.error());
  storage.buffer = std::move(*copy);
  return storage.buffer.bytes();
}

/// Reads a module; nothing if it has no BTF.
std::expected<std::optional<KernelModule>, Error> read_module(const std::string& path,
                                                              std::string name,
                                                              const Btf& kernel_btf) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto image = unpack_kernel(file->bytes());
  if (!image) return std::unexpected(image.error());
  auto blob = image->form == KernelImage::Form::Btf ? image->bytes : section(*image, ".BTF");
  auto base_blob = section(*image, ".BTF.base");
  if (blob.empty()) return std::nullopt;

  BlobStorage storage;
  auto kept = base_blob.empty() ? keep_blob(blob, image->decompressed, *file, storage)
                                : keep_relocated(blob, base_blob, kernel_btf, storage);
  if (!kept) return std::unexpected(kept.error());
  auto btf = Btf::parse(*kept, &kernel_btf);
  if (!btf) return std::unexpected(btf.error());
  return KernelModule{std::move(name), path, std::move(*btf), std::move(storage)};
}

}  // namespace

std::expected<void, Error> read_modules(std::span<const std::string> directories, Kernel& kernel) {
  std::set<std::string> names;
  auto is_of_kernel = [&](const std::string& folder) {
    return !begins_with_version(folder) || folder == kernel.release;
  };
  for (const std::string& directory : directories) {
    auto files = list_files(directory, is_of_kernel);
    if (!files) return std::unexpected(files.error());
    for (const std::string& path : *files) {
      std::string name = module_name(path);
      if (name.empty() || names.contains(name)) continue;
      auto module = read_module(path, name, kernel.btf);
      if (!module) {
        kernel.notes.push_back(fmt::format("{}: {}", path, module.error().message));
        continue;
      }
      names.insert(std::move(name));
      if (*module) kernel.modules.push_back(std::move(**module));
    }
  }
  return {};
}

std::expected<std::span<const std::byte>, Error> keep_blob(std::span<const std::byte> blob,
                                                           ByteBuffer& decompressed,
                                                           InputFile& file, BlobStorage& storage) {
  if (decompressed.bytes().empty()) {
    storage.file = std::move(file);
    return blob;
  }
  if (blob.size() >= decompressed.bytes().size() / 2) {
    storage.buffer = std::move(decompressed);
    return blob;
  }
  auto copy = ByteBuffer::copy_of(blob);
  if (!copy) return std::unexpected(copy.error());
  storage.buffer = std::move(*copy);
  return storage.buffer.bytes();
}

}  // namespace bpflink
