// Names of sections that are like those of programs.
#pragma once

#include <string>
#include <string_view>

namespace bpflink {

/// What a section's name may have meant, such as "xdp" for "xpd": the known name that is most like
/// it, with what follows the '/'; "" if none is. A name that only continues a known one, such as
/// "sk_skb1", was chosen for programs whose loader sets their type.
std::string similar_section(std::string_view section);

/// The known name that a section continues with a '/' although nothing may follow it, such as
/// "classifier" for "classifier/in"; "" if there is none. libbpf 1.0 and later refuse such
/// programs, and cilium/ebpf takes them.
std::string_view continued_section(std::string_view section);

}  // namespace bpflink
