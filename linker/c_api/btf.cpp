// The C interface's BTF and deduplicator.
#include "bpflink/btf.hpp"

#include "bpflink/btf_query.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/distill.hpp"
#include "bpflink/print.hpp"
#include "dedup/internal.hpp"
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

/// The type that `type` refers to besides its members, 0 for none.
uint32_t referred_type(BtfType type) {
  switch (type.kind()) {
    case BtfKind::Array:
      return type.array_element_type();
    case BtfKind::Ptr:
    case BtfKind::Typedef:
    case BtfKind::Volatile:
    case BtfKind::Const:
    case BtfKind::Restrict:
    case BtfKind::Func:
    case BtfKind::FuncProto:
    case BtfKind::Var:
    case BtfKind::DeclTag:
    case BtfKind::TypeTag:
      return type.type();
    default:
      return 0;
  }
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
  return is_type(btf, id) ? std::to_underlying(btf->view->type(id).kind()) : 0;
}

const char* bpflink_btf_name(const bpflink_btf* btf, uint32_t id) {
  return is_type(btf, id) ? c_string(btf->view->name(btf->view->type(id))) : "";
}

bpflink_status bpflink_btf_find(const bpflink_btf* btf, uint32_t kind, const char* name,
                                uint32_t* id) {
  if (!btf || !name || !id || kind == 0 || kind >= known_kinds) return BPFLINK_ERROR_ARGUMENT;
  auto found = find_type(*btf->view, BtfKind(kind), name);
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

bpflink_status bpflink_btf_type(const bpflink_btf* btf, uint32_t id, bpflink_type* out,
                                size_t size) {
  if (!is_type(btf, id)) return BPFLINK_ERROR_ARGUMENT;
  BtfType type = btf->view->type(id);
  bpflink_type description = {};
  description.name = c_string(btf->view->name(type));
  description.type_size = type_size(*btf->view, id).value_or(0);
  description.kind = std::to_underlying(type.kind());
  description.kind_flag = type.kind_flag();
  description.alignment = type_alignment(*btf->view, id).value_or(0);
  description.type_id = referred_type(type);
  if (type.kind() == BtfKind::Array) description.element_count = type.array_length();
  if (type.kind() == BtfKind::Int) description.encoding = type.int_data() >> 24;
  if (is_composite(type.kind()) || is_enum(type.kind())) description.member_count = type.vlen();
  return describe(description, out, size);
}

bpflink_status bpflink_btf_member(const bpflink_btf* btf, uint32_t id, uint32_t index,
                                  bpflink_member* out, size_t size) {
  if (!is_type(btf, id)) return BPFLINK_ERROR_ARGUMENT;
  BtfType type = btf->view->type(id);
  if (!is_composite(type.kind()) || index >= type.vlen()) return BPFLINK_ERROR_ARGUMENT;
  BtfMember member = type.member(index);
  bpflink_member description = {c_string(btf->view->string(member.name_off)), member.type,
                                type.member_bit_offset(index), type.member_bitfield_size(index)};
  return describe(description, out, size);
}

bpflink_status bpflink_btf_enumerator(const bpflink_btf* btf, uint32_t id, uint32_t index,
                                      bpflink_enumerator* out, size_t size) {
  if (!is_type(btf, id)) return BPFLINK_ERROR_ARGUMENT;
  BtfType type = btf->view->type(id);
  if (!is_enum(type.kind()) || index >= type.vlen()) return BPFLINK_ERROR_ARGUMENT;
  BtfEnumerator enumerator = type.enumerator(index);
  bpflink_enumerator description = {c_string(btf->view->string(enumerator.name_off)),
                                    enumerator.value};
  return describe(description, out, size);
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
  auto known = read_dedup_options(options);
  if (!known) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    *dedup = new bpflink_dedup{Deduplicator(known->options), known->order};
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

bpflink_status bpflink_btf_distill(const bpflink_btf* split, uint32_t big_endian,
                                   const uint32_t* needed, size_t needed_count,
                                   bpflink_distilled* out, size_t size, char** error) {
  if (error) *error = nullptr;
  if (!split || big_endian > 1 || (!needed && needed_count != 0) || !out)
    return BPFLINK_ERROR_ARGUMENT;
  std::span<const uint32_t> ids(needed, needed_count);
  if (!std::ranges::all_of(ids, [&](uint32_t id) { return id == 0 || is_type(split, id); }))
    return BPFLINK_ERROR_ARGUMENT;
  std::memset(static_cast<void*>(out), 0, size);
  return guarded([&] {
    auto order = big_endian == 1 ? std::endian::big : std::endian::little;
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
