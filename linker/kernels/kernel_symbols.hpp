// The functions among a kernel's symbols. BTF also lists functions that compilers split or inlined
// everywhere, to which nothing can attach.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "linker/kernels/kernel_image.hpp"
#include "linker/kernels/owned_bytes.hpp"

namespace bpflink {

class KernelSymbols {
 public:
  /// Those of the symbol table of an ELF file; nothing if it has none. (The kernel takes longer to
  /// print /proc/kallsyms than a check takes.)
  static std::optional<KernelSymbols> of_image(const KernelImage& image);

  /// Whether there is a function of that name. As for the kernel, a ".llvm.NUMBER" behind it does
  /// not count.
  bool has(std::string_view name) const;
  /// The parts of a function that was split: "do_thing.isra.0", "do_thing.cold".
  std::vector<std::string_view> parts_of(std::string_view name) const;

 private:
  KernelSymbols(OwnedBytes owner, std::vector<std::string_view> names);

  OwnedBytes owner_;                     ///< of the names
  std::vector<std::string_view> names_;  ///< sorted
};

}  // namespace bpflink
