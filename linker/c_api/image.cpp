// The C interface's image BTF.
#include <deque>
#include <vector>

#include "bpflink/image_btf.hpp"
#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_image {
  ImageDeduplicator deduplicator;
  std::endian order;
  ImageSymbols symbols = {};
  std::deque<std::string> strings = {};  ///< those of the symbols
  bool has_run = false;
  std::vector<OmittedSymbol> omitted = {};

  std::string_view keep(const char* text) { return strings.emplace_back(text); }
};

extern "C" {

bpflink_status bpflink_image_new(const bpflink_dedup_options* options, bpflink_image** image) {
  if (!image) return BPFLINK_ERROR_ARGUMENT;
  *image = nullptr;
  return guarded([&] {
    auto known = read_dedup_options(options);
    if (!known || known->options.flatten) return BPFLINK_ERROR_ARGUMENT;
    *image = new bpflink_image{ImageDeduplicator(known->options), known->order};
    return BPFLINK_OK;
  });
}

void bpflink_image_free(bpflink_image* image) {
  delete image;
}

bpflink_status bpflink_image_add(bpflink_image* image, const char* name, const bpflink_btf* btf) {
  if (!image || !name || !btf || image->has_run || btf->view->base()) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto added = image->deduplicator.add(name, *btf->view);
    return added ? BPFLINK_OK : BPFLINK_ERROR_INPUT;
  });
}

bpflink_status bpflink_image_add_weak_function(bpflink_image* image, const char* name) {
  if (!image || !name || image->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    image->deduplicator.add_weak_function(image->keep(name));
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_image_add_function(bpflink_image* image, const char* name) {
  if (!image || !name || image->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    image->symbols.functions.push_back(image->keep(name));
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_image_add_variable(bpflink_image* image, const char* name, uint32_t offset,
                                          uint32_t size, uint32_t is_local) {
  if (!image || !name || is_local > 1 || image->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    image->symbols.variables.push_back({image->keep(name), offset, size, is_local == 1});
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_image_tag_function(bpflink_image* image, const char* name,
                                          const char* text) {
  if (!image || !name || !text || image->has_run) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    image->symbols.tags.push_back({image->keep(name), image->keep(text)});
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_image_run(bpflink_image* image, void** blob, size_t* size, char** error) {
  if (error) *error = nullptr;
  if (!blob || !size) return BPFLINK_ERROR_ARGUMENT;
  *blob = nullptr;
  *size = 0;
  if (!image || image->has_run) return BPFLINK_ERROR_ARGUMENT;
  image->has_run = true;
  return guarded([&] {
    auto result = image->deduplicator.run(image->symbols);
    if (!result) return give_reason(result.error(), error);
    image->omitted = std::move(result->omitted);
    auto bytes = result->dedup.types.finish(image->order);
    if (!bytes) return give_reason(bytes.error(), error);
    return give_bytes(*bytes, blob, size);
  });
}

bpflink_status bpflink_image_omitted(const bpflink_image* image, size_t index, const char** name,
                                     bpflink_image_omission* reason) {
  if (!image || !name || !reason || !image->has_run) return BPFLINK_ERROR_ARGUMENT;
  if (index >= image->omitted.size()) return BPFLINK_ERROR_NOT_FOUND;
  *name = c_string(image->omitted[index].name);
  *reason = static_cast<bpflink_image_omission>(image->omitted[index].reason);
  return BPFLINK_OK;
}

}  // extern "C"
