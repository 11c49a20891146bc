// Owning handles of libelf.
#pragma once

#include <libelf.h>

#include <memory>

namespace bpflink {

/// libelf refuses to work before this call, which writes to a variable of libelf: threads must not
/// make it.
inline const unsigned libelf_version = elf_version(EV_CURRENT);

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

}  // namespace bpflink
