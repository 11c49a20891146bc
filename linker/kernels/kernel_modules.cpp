#include "linker/kernels/kernel_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/io/bytes.hpp"
#include "linker/kernels/directory_walk.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/relocate_base.hpp"

namespace bpflink {
namespace {

/// "nf_conntrack" for "nf-conntrack.ko.xz", and "" if it is not a module's file name.
std::string name_of_module_file(std::string_view file) {
  for (std::string_view ending : {".ko", ".ko.xz", ".ko.zst", ".ko.gz"})
    if (file.ends_with(ending)) {
      std::string name(file.substr(0, file.size() - ending.size()));
      std::ranges::replace(name, '-', '_');
      return name;
    }
  return {};
}

std::span<const std::byte> section(const KernelImage& image, std::string_view name) {
  auto index = image.elf ? image.elf->find(name) : std::nullopt;
  return index ? image.elf->contents(image.elf->sections[*index]) : std::span<const std::byte>();
}

/// The names behind "depends=" in a module's .modinfo, a list of strings that end with NUL.
std::vector<std::string> dependencies_of(std::string_view info) {
  constexpr std::string_view key = "depends=";
  while (!info.empty() && !info.starts_with(key))
    info.remove_prefix(std::min(info.size(), info.find('\0')) + (info.contains('\0') ? 1 : 0));
  info = info.substr(std::min(info.size(), key.size()));
  std::vector<std::string> names;
  for (char c : info.substr(0, info.find('\0'))) {
    if (names.empty() || c == ',') names.emplace_back();
    if (c != ',') names.back() += c == '-' ? '_' : c;
  }
  return names;
}

/// Reads a module; nothing if it has no BTF.
std::expected<std::optional<KernelModule>, Error> read_module(const std::string& path,
                                                              std::string name, Kernel& kernel) {
  auto file = TRY(InputFile::open_regular(path));
  auto image = TRY(unpack_kernel(OwnedBytes::of(std::move(file))));
  if (auto info = section(image, ".modinfo"); !info.empty())
    kernel.module_files.try_emplace(name, path, dependencies_of(text_of(info)));
  if (auto index = image.elf ? image.elf->find(".BTF") : std::nullopt)
    TRY(check_contents(image.elf->sections[*index]));
  auto blob = image.form == KernelImage::Form::Btf ? image.contents.bytes : section(image, ".BTF");
  auto base_blob = section(image, ".BTF.base");
  if (blob.empty()) return std::nullopt;
  OwnedBytes storage;
  if (base_blob.empty()) {
    storage = keep_part(image, blob);
  } else {  // it is split from a distilled base
    const NamedTypes& names = CoreKernelAccess::named(kernel.index, 0);
    auto bytes = TRY(relocate_base(blob, base_blob, kernel.btf, names));
    storage = OwnedBytes::of(std::move(bytes));
  }
  auto btf = TRY(Btf::parse(storage.bytes, &kernel.btf));
  return KernelModule{std::move(name), std::move(storage), std::move(btf)};
}

}  // namespace

std::expected<std::string, Error> module_name(const std::string& path) {
  std::string file = std::filesystem::path(path).filename().string();
  std::string name = name_of_module_file(file);
  if (!name.empty() || file == "vmlinux") return name;
  std::array<std::byte, 2> buffer;
  auto begin = TRY(read_begin(path, buffer));
  return begins_like_kernel(begin) ? file : std::string();
}

std::expected<void, Error> read_modules(const std::string& directory, Kernel& kernel) {
  std::set<std::string> names;
  auto is_of_kernel = [&](const std::string& folder) {
    return !version_code(folder) || folder == kernel.identity.release;
  };
  auto files = TRY(list_files(directory, is_of_kernel));
  for (const std::string& path : files) {
    auto name = module_name(path);
    if (!name) kernel.notes.push_back(name.error().message);
    if (!name || name->empty() || names.contains(*name)) continue;
    auto module = read_module(path, *name, kernel);
    if (!module) {
      kernel.notes.push_back(fmt::format("{}: {}", path, module.error().message));
      continue;
    }
    names.insert(std::move(*name));
    if (*module) kernel.add_module(std::move(**module));
  }
  return {};
}

}  // namespace bpflink
