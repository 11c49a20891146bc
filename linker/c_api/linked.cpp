// The C interface's BTF of linked programs.
#include "bpflink/linked.hpp"

#include <deque>
#include <vector>

#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_linked {
  LinkedDeduplicator deduplicator;
  std::endian order;
  LinkedSymbols symbols = {};
  std::deque<std::string> strings = {};  ///< those of the symbols
  bool has_run = false;
  std::vector<OmittedSymbol> omitted = {};

  std::string_view keep(const char* text) { return strings.emplace_back(text); }
};

extern "C" {

bpflink_status bpflink_linked_new(const bpflink_dedup_options* options, bpflink_linked** linked) {
  if (!linked) return BPFLINK_ERROR_ARGUMENT;
  *linked = nullptr;
  auto known = read_dedup_options(options);
  if (!known || known->options.flatten) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    *linked = new bpflink_linked{LinkedDeduplicator(known->options), known->order};
    return BPFLINK_OK;
  });
}

void bpflink_linked_free(bpflink_linked* linked) {
  delete linked;
}

bpflink_status bpflink_linked_add(bpflink_linked* linked, const char* name,
                                  const bpflink_btf* btf) {
  if (!linked || !name || !btf || linked->has_run || btf->view->base())
    return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto added = linked->deduplicator.add(name, *btf->view);
    return added ? BPFLINK_OK : BPFLINK_ERROR_INPUT;
  });
}

bpflink_status bpflink_linked_add_function(bpflink_linked* linked, const char* name) {
  if (!linked || !name || linked->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linked->symbols.functions.push_back(linked->keep(name));
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linked_add_variable(bpflink_linked* linked, const char* name,
                                           uint32_t offset, uint32_t size, uint32_t is_local) {
  if (!linked || !name || is_local > 1 || linked->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linked->symbols.variables.push_back({linked->keep(name), offset, size, is_local == 1});
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linked_tag_function(bpflink_linked* linked, const char* name,
                                           const char* text) {
  if (!linked || !name || !text || linked->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    linked->symbols.tags.push_back({linked->keep(name), linked->keep(text)});
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_linked_run(bpflink_linked* linked, void** blob, size_t* size, char** error) {
  if (error) *error = nullptr;
  if (!linked || !blob || !size || linked->has_run) return BPFLINK_ERROR_ARGUMENT;
  *blob = nullptr;
  *size = 0;
  linked->has_run = true;
  return guarded([&] {
    auto result = linked->deduplicator.run(linked->symbols);
    if (!result) return give_reason(result.error(), error);
    linked->omitted = std::move(result->omitted);
    auto bytes = result->dedup.types.finish(linked->order);
    if (!bytes) return give_reason(bytes.error(), error);
    return give_bytes(*bytes, blob, size);
  });
}

bpflink_status bpflink_linked_omitted(const bpflink_linked* linked, size_t index, const char** name,
                                      bpflink_linked_omission* reason) {
  if (!linked || !name || !reason || !linked->has_run) return BPFLINK_ERROR_ARGUMENT;
  if (index >= linked->omitted.size()) return BPFLINK_ERROR_NOT_FOUND;
  *name = c_string(linked->omitted[index].name);
  *reason = static_cast<bpflink_linked_omission>(linked->omitted[index].reason);
  return BPFLINK_OK;
}

}  // extern "C"
