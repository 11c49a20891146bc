// Collects a kernel's facts from their sources, which kernel.hpp lists.
#include <sys/utsname.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/facts/linux_release.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/input_file.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/kernel.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/kernel_modules.hpp"

namespace bpflink {
namespace {

namespace fs = std::filesystem;

void describe_running_kernel(Kernel& kernel) {
  struct utsname names;
  if (::uname(&names) == 0) {
    kernel.identity.release = names.release;
    kernel.identity.version = names.version;
    kernel.identity.arch = arch_name(names.machine);
  }
  if (auto notes = InputFile::open("/sys/kernel/notes"))
    kernel.identity.build_id = find_build_id(notes->bytes(), std::endian::native);
}

/// The version signature of an Ubuntu kernel, or "".
std::string version_signature(const Kernel& kernel) {
  if (kernel.is_running)
    if (auto file = InputFile::open("/proc/version_signature"))
      return std::string(text_of(file->bytes()));
  return std::string(kernel.option("CONFIG_VERSION_SIGNATURE").value.text);
}

/// "5.4.8" of "Ubuntu 5.4.0-12.15-generic 5.4.8", the text from there on; or "".
std::string_view upstream_release(std::string_view signature) {
  for (int word = 0; word < 2; ++word) {
    size_t end = signature.find_first_of(" \t");
    size_t next = end == signature.npos ? end : signature.find_first_not_of(" \t", end);
    signature = next == signature.npos ? "" : signature.substr(next);
  }
  return signature;
}

/// "6.1.176-1" of "#1 SMP Debian 6.1.176-1", the text from there on; or "".
std::string_view debian_release(std::string_view version) {
  constexpr std::string_view name = "Debian ";
  size_t at = version.find(name);
  return at == version.npos ? "" : version.substr(at + name.size());
}

std::expected<KernelConfig, Error> read_config(const std::string& path,
                                               const std::expected<InputFile, Error>& file) {
  if (!file) return fail_in(path, file.error());
  auto config = KernelConfig::parse(file->bytes());
  if (!config) return fail_in(file->name(), config.error());
  return config;
}

/// The configuration file of a kernel of that release in `directory`: a file named after the
/// release or, as in /lib/modules, "config" in a directory named so.
std::expected<std::optional<std::string>, Error> find_config_beside(const fs::path& directory,
                                                                    const std::string& release) {
  if (release.empty() || release.find('/') != release.npos) return std::nullopt;
  std::vector<std::string> names = {"config-" + release, release + ".config"};
  if (directory.filename() == release) names.emplace_back("config");
  for (const std::string& name : names) {
    std::string path = (directory / name).string();
    auto found = find_file(path);
    if (!found) return fail("{}: {}", path, found.error().message);
    if (*found && S_ISREG((*found)->st_mode)) return path;
  }
  return std::nullopt;
}

/// The given configuration, or one that can be found; otherwise nothing.
std::expected<std::optional<KernelConfig>, Error> find_config(const KernelSource& source,
                                                              const Kernel& kernel,
                                                              const KernelImage& image) {
  if (const std::string& path = source.options->config; !path.empty())
    return read_config(path, InputFile::open(path));
  if (auto built_in = find_image_config(image); !built_in.empty()) {
    auto config = KernelConfig::parse(built_in);
    if (!config)
      return fail("{}: its built-in configuration {}", source.name, config.error().message);
    return config;
  }
  if (const std::string& path = source.record.config; !path.empty())
    return read_config(path, InputFile::open_regular(path));
  std::vector<fs::path> directories = {fs::path(source.name).parent_path()};
  if (kernel.is_running) {
    const std::string own = "/proc/config.gz";
    auto found = find_file(own);
    if (!found || *found) return read_config(own, InputFile::open(own));
    directories = {"/boot", fs::path("/lib/modules") / kernel.identity.release};
  }
  for (const fs::path& directory : directories) {
    auto path = TRY(find_config_beside(directory, kernel.identity.release));
    if (path) return read_config(*path, InputFile::open_regular(*path));
  }
  return std::nullopt;
}

}  // namespace

std::expected<std::unique_ptr<Kernel>, Error> read_kernel(const KernelSource& source) {
  const KernelOptions& options = *source.options;
  auto in_source = [&](const Error& error) { return fail("{}: {}", source.name, error.message); };
  auto file =
      source.is_listed ? InputFile::open_regular(source.name) : InputFile::open(source.name);
  if (!file) return in_source(file.error());
  auto image = unpack_kernel(OwnedBytes::of(std::move(*file)));
  if (!image) return in_source(image.error());
  auto blob = find_image_btf(*image);
  if (!blob) return in_source(blob.error());
  OwnedBytes storage = keep_part(*image, *blob);
  auto btf = Btf::parse(storage.bytes);
  if (!btf && image->elf && image->elf->find(".gnu.linkonce.this_module"))
    return fail("{}: is a module: --modules takes the directory that it is in", source.name);
  if (!btf) return in_source(btf.error());
  auto kernel = std::make_unique<Kernel>(source.name, std::move(*btf));
  kernel->storage = std::move(storage);

  auto path = canonical_path(source.name);
  if (!path) return in_source(path.error());
  kernel->is_running = *path && (*path)->starts_with("/sys/kernel/btf/");
  if (kernel->is_running) describe_running_kernel(*kernel);
  identify(*image);
  KernelIdentity& identity = kernel->identity;
  identity.complete(image->identity);
  // A path with an architecture is BTFHub's. Other paths are less reliable than a manifest.
  KernelIdentity by_path = identity_of_path(source.name);
  if (!by_path.arch.empty()) identity.complete(by_path);
  identity.complete(source.record.identity);
  identity.complete(identity_of_path(image->member));
  identity.complete(by_path);
  if (!options.release.empty()) identity.release = options.release;

  if (options.reads_configs) {
    auto config = TRY(find_config(source, *kernel, *image));
    kernel->config = std::move(config);
  }
  std::string signature = version_signature(*kernel);
  kernel->version_code = options.release.empty()
                             ? linux_version_code(identity.release, identity.version, signature)
                             : version_code(options.release);
  kernel->hides_version = hides_linux_version(identity.release, identity.version, signature);
  if (image->elf && image->decompressed_size == 0)
    kernel->read_symbols = [image = std::move(*image)] { return KernelSymbols::of_image(image); };
  if (options.modules.empty()) return kernel;
  TRY(read_modules(options.modules, *kernel));
  return kernel;
}

std::optional<uint32_t> linux_version_code(std::string_view release, std::string_view version,
                                           std::string_view signature) {
  for (std::string_view text : {upstream_release(signature), debian_release(version)})
    if (auto code = version_code(text)) return code;
  return version_code(release);
}

bool hides_linux_version(std::string_view release, std::string_view version,
                         std::string_view signature) {
  bool is_short = release.find_first_not_of("0123456789.") == release.npos;
  return !is_short && version_code(release) && !has_three_numbers(release) &&
         !has_three_numbers(upstream_release(signature)) &&
         !has_three_numbers(debian_release(version));
}

}  // namespace bpflink
