// The C interface's deduplicator.
#include "bpflink/dedup.hpp"

#include "bpflink/distill.hpp"
#include "bpflink/explain.hpp"
#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_dedup {
  Deduplicator deduplicator;
  std::endian order;
  std::vector<std::string> names = {};  ///< of the inputs
  bool has_run = false;
  std::optional<DedupResult> result = {};
};

extern "C" {

bpflink_status bpflink_dedup_new(const bpflink_dedup_options* options, bpflink_dedup** dedup) {
  if (!dedup) return BPFLINK_ERROR_ARGUMENT;
  *dedup = nullptr;
  return guarded([&] {
    auto known = read_dedup_options(options);
    if (!known) return BPFLINK_ERROR_ARGUMENT;
    *dedup = new bpflink_dedup{Deduplicator(known->options), known->order};
    return BPFLINK_OK;
  });
}

char* bpflink_dedup_options_fault(const bpflink_dedup_options* options) {
  try {
    auto known = read_dedup_options(options);
    return known ? nullptr : copy_string(known.error().message);
  } catch (const std::exception&) {
    return nullptr;
  }
}

void bpflink_dedup_free(bpflink_dedup* dedup) {
  delete dedup;
}

bpflink_status bpflink_dedup_add(bpflink_dedup* dedup, const char* name, const bpflink_btf* btf) {
  if (!dedup || !name || !btf || dedup->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    dedup->deduplicator.add(name, *btf->view);
    dedup->names.emplace_back(name);
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
    dedup->result = std::move(*result);
    return give_bytes(*bytes, blob, size);
  });
}

bpflink_status bpflink_dedup_output_id(const bpflink_dedup* dedup, size_t input, uint32_t id,
                                       uint32_t* output_id) {
  if (!dedup || !dedup->result || !output_id || input >= dedup->result->type_maps.size())
    return BPFLINK_ERROR_ARGUMENT;
  const TypeMap& map = dedup->result->type_maps[input];
  if (id >= map.end_id()) return BPFLINK_ERROR_ARGUMENT;
  *output_id = map[id];
  return BPFLINK_OK;
}

bpflink_status bpflink_dedup_explain(const bpflink_dedup* dedup, const char* what, char** text,
                                     char** error) {
  if (error) *error = nullptr;
  if (!text) return BPFLINK_ERROR_ARGUMENT;
  *text = nullptr;
  if (!dedup || !dedup->result || !what) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto explanation =
        explain({dedup->result->types, dedup->result->type_maps, dedup->names}, what);
    if (!explanation) return give_reason(explanation.error(), error);
    *text = copy_string(*explanation);
    return *text ? BPFLINK_OK : BPFLINK_ERROR_MEMORY;
  });
}

bpflink_status bpflink_btf_distill(const bpflink_btf* split, uint32_t byte_order,
                                   const uint32_t* needed, size_t needed_count,
                                   bpflink_distilled* out, size_t size, char** error) {
  if (error) *error = nullptr;
  if (!split || byte_order > 1 || (!needed && needed_count != 0) || !out)
    return BPFLINK_ERROR_ARGUMENT;
  std::span<const uint32_t> ids(needed, needed_count);
  if (!std::ranges::all_of(ids, [&](uint32_t id) { return id < split->view->end_id(); }))
    return BPFLINK_ERROR_ARGUMENT;
  std::memset(static_cast<void*>(out), 0, size);
  return guarded([&] {
    auto order = order_of(byte_order);
    auto distilled = distill(*split->view, order, ids);
    if (!distilled) return give_reason(distilled.error(), error);
    auto types = distilled->types.finish(order);
    if (!types) return give_reason(types.error(), error);
    std::vector<uint32_t> new_ids;
    new_ids.reserve(distilled->type_map.end_id());
    for (uint32_t id = 0; id < distilled->type_map.end_id(); ++id)
      new_ids.push_back(distilled->type_map[id]);

    bpflink_distilled given{};
    void* given_ids = nullptr;
    size_t ids_size = 0;
    bool has_all =
        give_bytes(distilled->base_blob, &given.base, &given.base_size) == BPFLINK_OK &&
        give_bytes(*types, &given.types, &given.types_size) == BPFLINK_OK &&
        give_bytes(std::as_bytes(std::span(new_ids)), &given_ids, &ids_size) == BPFLINK_OK;
    if (!has_all) {
      std::free(given.base);
      std::free(given.types);
      return BPFLINK_ERROR_MEMORY;
    }
    given.ids = static_cast<uint32_t*>(given_ids);
    given.id_count = new_ids.size();
    return describe(given, out, size);
  });
}

}  // extern "C"
