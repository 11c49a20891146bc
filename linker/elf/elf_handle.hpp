// Owning handles of libelf.
#pragma once

#include <libelf.h>

#include <memory>

namespace bpflink {

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

}  // namespace bpflink
