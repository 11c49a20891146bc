#include "linker/lto/llvm.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <type_traits>

#include "dedup/messages.hpp"

namespace bpflink::lto {
namespace {

constexpr unsigned oldest_supported = 14;

/// Opens the library of a release where distributions have it: by names that the loader knows (the
/// linker has taken LD_LIBRARY_PATH out of the environment), and in the release's own directory.
void* open_release(unsigned version) {
  const std::string names[] = {fmt::format("libLLVM.so.{}.1", version),
                               fmt::format("libLLVM-{}.so.1", version),
                               fmt::format("libLLVM-{}.so", version),
                               fmt::format("/usr/lib/llvm-{}/lib/libLLVM.so.1", version),
                               fmt::format("/usr/lib/llvm-{}/lib/libLLVM.so", version),
                               fmt::format("/usr/lib/llvm{}/lib/libLLVM.so", version),
                               fmt::format("/usr/lib64/llvm{}/lib64/libLLVM.so", version)};
  for (const std::string& name : names)
    if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

/// The major version of LLVM in the name of its library, "libLLVM-19.so" or "libLLVM.so.19.1"; 0 if
/// the name does not tell.
unsigned version_of_library(const std::string& name) {
  for (std::string_view prefix : {"libLLVM-", "libLLVM.so."}) {
    size_t at = name.rfind(prefix);
    if (at == name.npos) continue;
    unsigned version = 0;
    const char* begin = name.data() + at + prefix.size();
    if (std::from_chars(begin, name.data() + name.size(), version).ec == std::errc())
      return version;
  }
  return 0;
}

unsigned version_of(void* library, const std::string& file) {
  // Since LLVM 16
  if (auto* get = reinterpret_cast<void (*)(unsigned*, unsigned*, unsigned*)>(
          ::dlsym(library, "LLVMGetVersion"))) {
    unsigned major = 0, minor = 0, patch = 0;
    get(&major, &minor, &patch);
    return major;
  }
  return version_of_library(file);
}

std::expected<Llvm, Error> bind(void* library, unsigned version) {
  Llvm llvm;
  llvm.version = version;
  auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
#define X(name, result, parameters) \
  if (!find(llvm.name, "LLVM" #name)) return fail("the library of LLVM has no LLVM" #name);
  BPFLINK_LLVM_FUNCTIONS(X)
#undef X
  find(llvm.ReplaceMDNodeOperandWith, "LLVMReplaceMDNodeOperandWith");
  Dl_info info;
  if (::dladdr(reinterpret_cast<void*>(llvm.ContextCreate), &info) != 0) llvm.file = info.dli_fname;
  return llvm;
}

std::expected<Llvm, Error> load_file(const std::string& file) {
  // A name without a slash is one that the loader looks for.
  const std::string path = file.contains('/') ? file : "./" + file;
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail("cannot load LLVM: {}", ::dlerror());
  std::error_code error;
  return bind(library, version_of(library, std::filesystem::canonical(file, error).string()));
}

}  // namespace

std::expected<Llvm, Error> load_llvm(const std::string& file, const std::string& first,
                                     unsigned oldest) {
  if (!file.empty()) return load_file(file);
  if (!first.empty())
    if (auto llvm = load_file(first); llvm && llvm->version >= oldest) return llvm;
  oldest = std::max(oldest, oldest_supported);
  std::string found;
  for (unsigned version = newest_possible; version >= oldest_supported; --version) {
    void* library = open_release(version);
    if (library && version >= oldest) return bind(library, version);
    if (library) found += fmt::format("{}{}", found.empty() ? ", only of " : ", ", version);
  }
  return fail(
      "there is no library of LLVM {} or newer{}: install libLLVM (Debian: libllvm{}), or name "
      "one with --lto-library",
      oldest, found, oldest);
}

}  // namespace bpflink::lto
