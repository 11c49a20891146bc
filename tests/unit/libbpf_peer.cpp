#include "libbpf_peer.hpp"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

namespace bpflink::test {

uint32_t count_with_libbpf(const std::vector<std::byte>& blob) {
  libbpf_set_print([](libbpf_print_level, const char*, va_list) { return 0; });
  struct btf* btf = btf__new(blob.data(), static_cast<uint32_t>(blob.size()));
  if (libbpf_get_error(btf) != 0) return 0;
  bool failed = btf__dedup(btf, nullptr) != 0;
  uint32_t count = failed ? 0 : btf__type_cnt(btf) - 1;
  btf__free(btf);
  return count;
}

}  // namespace bpflink::test
