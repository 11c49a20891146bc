// The C interface's BTF and deduplicator.
#include "bpflink/btf.hpp"

#include "bpflink/btf_query.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/print.hpp"
#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_dedup {
  Deduplicator deduplicator;
  std::endian order;
  bool has_run = false;
};

namespace {

bool is_type(const bpflink_btf* btf, uint32_t id) {
  return btf && id >= 1 && id < btf->view->end_id();
}

template <typename Print>
char* print(Print print) noexcept {
  try {
    return copy_string(print());
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

extern "C" {

bpflink_status bpflink_btf_parse(const void* blob, size_t size, bpflink_btf** btf, char** error) {
  return bpflink_btf_parse_split(blob, size, nullptr, btf, error);
}

bpflink_status bpflink_btf_parse_split(const void* blob, size_t size, const bpflink_btf* base,
                                       bpflink_btf** btf, char** error) {
  if (error) *error = nullptr;
  if (!btf || !blob) return BPFLINK_ERROR_ARGUMENT;
  *btf = nullptr;
  return guarded([&] {
    auto parsed =
        Btf::parse({static_cast<const std::byte*>(blob), size}, base ? base->view : nullptr);
    if (!parsed) return give_reason(parsed.error(), error);
    auto handle = std::make_unique<bpflink_btf>();
    handle->owned = std::move(*parsed);
    handle->view = &*handle->owned;
    *btf = handle.release();
    return BPFLINK_OK;
  });
}

void bpflink_btf_free(bpflink_btf* btf) {
  delete btf;
}

uint32_t bpflink_btf_end_id(const bpflink_btf* btf) {
  return btf ? btf->view->end_id() : 1;
}

uint32_t bpflink_btf_kind(const bpflink_btf* btf, uint32_t id) {
  return is_type(btf, id) ? btf->view->type(id).kind() : 0;
}

const char* bpflink_btf_name(const bpflink_btf* btf, uint32_t id) {
  return is_type(btf, id) ? c_string(btf->view->name(btf->view->type(id))) : "";
}

bpflink_status bpflink_btf_find(const bpflink_btf* btf, uint32_t kind, const char* name,
                                uint32_t* id) {
  if (!btf || !name || !id || kind == 0 || kind >= BTF_KIND_END) return BPFLINK_ERROR_ARGUMENT;
  auto found = find_type(*btf->view, static_cast<BtfKind>(kind), name);
  if (!found) return BPFLINK_ERROR_NOT_FOUND;
  *id = *found;
  return BPFLINK_OK;
}

bpflink_status bpflink_btf_size(const bpflink_btf* btf, uint32_t id, uint64_t* size) {
  if (!is_type(btf, id) || !size) return BPFLINK_ERROR_ARGUMENT;
  auto bytes = type_size(*btf->view, id);
  if (!bytes) return BPFLINK_ERROR_NOT_FOUND;
  *size = *bytes;
  return BPFLINK_OK;
}

char* bpflink_btf_declaration(const bpflink_btf* btf, uint32_t id, const char* name) {
  if (!is_type(btf, id) || !name) return nullptr;
  return print([&] { return print_c_declaration(*btf->view, id, name); });
}

char* bpflink_btf_definition(const bpflink_btf* btf, uint32_t id) {
  if (!is_type(btf, id)) return nullptr;
  return print([&] { return print_c_definition(*btf->view, id); });
}

bpflink_status bpflink_dedup_new(const bpflink_dedup_options* options, bpflink_dedup** dedup) {
  if (!dedup) return BPFLINK_ERROR_ARGUMENT;
  *dedup = nullptr;
  auto known = read_options(options, bpflink_dedup_options BPFLINK_DEDUP_OPTIONS_INIT);
  if (!known || known->big_endian > 1) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    DedupOptions dedup_options;
    dedup_options.threads = known->threads;
    dedup_options.base = known->base ? known->base->view : nullptr;
    auto order = known->big_endian == 1 ? std::endian::big : std::endian::little;
    *dedup = new bpflink_dedup{Deduplicator(dedup_options), order};
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
  if (!dedup || !blob || !size || dedup->has_run) return BPFLINK_ERROR_ARGUMENT;
  *blob = nullptr;
  *size = 0;
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
