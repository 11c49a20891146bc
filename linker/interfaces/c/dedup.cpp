// The C interface's deduplicator.
#include "bpflink/dedup.hpp"

#include "linker/interfaces/c/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_dedup {
  Deduplicator deduplicator;
  std::endian order;
  bool has_run = false;
};

extern "C" {

bpflink_status bpflink_dedup_new(uint32_t byte_order, bpflink_dedup** dedup) {
  if (!dedup) return BPFLINK_ERROR_ARGUMENT;
  *dedup = nullptr;
  if (byte_order > BPFLINK_BIG_ENDIAN) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    bool is_big = byte_order == BPFLINK_BIG_ENDIAN;
    *dedup = new bpflink_dedup{Deduplicator(), is_big ? std::endian::big : std::endian::little};
    return BPFLINK_OK;
  });
}

void bpflink_dedup_free(bpflink_dedup* dedup) {
  delete dedup;
}

bpflink_status bpflink_dedup_add(bpflink_dedup* dedup, const char* name, const bpflink_btf* btf) {
  if (!dedup || !name || !btf || dedup->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    dedup->deduplicator.add(name, *btf->view);
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_dedup_run(bpflink_dedup* dedup, void** blob, size_t* size, char** error) {
  if (error) *error = nullptr;
  if (!blob || !size) return BPFLINK_ERROR_ARGUMENT;
  *blob = nullptr;
  *size = 0;
  if (!dedup || dedup->has_run) return BPFLINK_ERROR_ARGUMENT;
  dedup->has_run = true;
  return guarded([&] {
    auto result = dedup->deduplicator.run();
    if (!result) return give_reason(result.error(), error);
    auto bytes = result->types.finish(dedup->order);
    if (!bytes) return give_reason(bytes.error(), error);
    return give_bytes(*bytes, blob, size);
  });
}

}  // extern "C"
