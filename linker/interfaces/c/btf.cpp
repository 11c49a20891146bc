// The C interface's view of BTF.
#include "bpflink/btf.hpp"

#include <bit>
#include <ranges>

#include "bpflink/btf_file.hpp"
#include "bpflink/btf_query.hpp"
#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "linker/interfaces/c/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

namespace {

static_assert(std::to_underlying(last_btf_kind) == BPFLINK_BTF_ENUM64);

bpflink_btf* make_handle(Btf btf, std::vector<std::byte> blob) {
  auto handle = std::make_unique<bpflink_btf>();
  handle->owned = std::move(btf);
  handle->view = &*handle->owned;
  handle->blob = std::move(blob);
  return handle.release();
}

/// Whether `id` is a type's, void not among them.
bool is_type(const bpflink_btf* btf, uint32_t id) {
  return btf && id >= 1 && id < btf->view->end_id();
}

/// Whether `id` is void or a type's.
bool is_void_or_type(const bpflink_btf* btf, uint32_t id) {
  return btf && id < btf->view->end_id();
}

/// The type that `type` refers to besides its members, 0 for none.
uint32_t referred_type(BtfType type) {
  unsigned words = kind_words(type.kind()).ids.head;  // of an array, that of elements comes first
  return words != 0 ? type.words()[head_start + static_cast<size_t>(std::countr_zero(words))] : 0;
}

bpflink_type describe_type(const Btf& btf, uint32_t id, Arrays& arrays) {
  bpflink_type description = {};
  description.name = "";
  if (id == 0) return description;
  BtfType type = btf.type(id);
  BtfKind kind = type.kind();
  description.name = c_string(btf.name(type));
  description.size = type_size(btf, id).value_or(0);
  description.kind = std::to_underlying(kind);
  description.kind_flag = type.kind_flag();
  description.alignment = type_alignment(btf, id).value_or(0);
  description.type_id = referred_type(type);
  if (kind_words(kind).element_words != 0) description.vlen = type.vlen();
  if (kind == BtfKind::Array) {
    description.array_length = type.array_length();
    description.index_type_id = type.array_index_type();
  }
  if (kind == BtfKind::Int) {
    description.encoding = type.int_encoding();
    description.bits = type.int_bits();
  }
  if (kind == BtfKind::Func) description.linkage = std::to_underlying(type.func_linkage());
  if (kind == BtfKind::Var) description.linkage = std::to_underlying(type.var_linkage());
  if (kind == BtfKind::DeclTag) description.component_idx = type.component_idx();
  auto indices = std::views::iota(0u, type.vlen());
  if (is_composite(kind))
    description.members = arrays.keep(indices, [&](uint32_t index) {
      BtfMember member = type.member(index);
      return bpflink_member{.name = c_string(btf.string(member.name_off)),
                            .type_id = member.type,
                            .bit_offset = type.member_bit_offset(index),
                            .bitfield_size = type.member_bitfield_size(index)};
    });
  if (is_enum(kind))
    description.enumerators = arrays.keep(indices, [&](uint32_t index) {
      BtfEnumerator enumerator = type.enumerator(index);
      return bpflink_enumerator{.name = c_string(btf.string(enumerator.name_off)),
                                .value = enumerator.value};
    });
  return description;
}

}  // namespace

extern "C" {

bpflink_status bpflink_btf_parse(const void* blob, size_t size, bpflink_btf** btf, char** error) {
  if (error) *error = nullptr;
  if (btf) *btf = nullptr;
  if (!btf || !blob) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto parsed = Btf::parse({static_cast<const std::byte*>(blob), size});
    if (!parsed) return give_reason(parsed.error(), error);
    *btf = make_handle(std::move(*parsed), {});
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_btf_open(const char* path, const bpflink_btf* base, bpflink_btf** btf,
                                char** error) {
  if (error) *error = nullptr;
  if (btf) *btf = nullptr;
  if (!btf || !path) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto bytes = read_btf_file(path);
    if (!bytes) return give_reason(bytes.error(), error);
    auto parsed = Btf::parse(*bytes, base ? base->view : nullptr);
    if (!parsed) return give_reason({path + (": " + parsed.error().message)}, error);
    *btf = make_handle(std::move(*parsed), std::move(*bytes));
    return BPFLINK_OK;
  });
}

void bpflink_btf_free(bpflink_btf* btf) {
  delete btf;
}

uint32_t bpflink_btf_end_id(const bpflink_btf* btf) {
  return btf ? btf->view->end_id() : 1;
}

bpflink_status bpflink_btf_find(const bpflink_btf* btf, uint32_t kind, const char* name,
                                uint32_t* id) {
  if (!btf || !name || !id || kind == 0 || kind >= known_kinds) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    if (!btf->index) btf->index.emplace(*btf->view);
    auto found = btf->index->find(BtfKind(kind), name);
    if (!found) return BPFLINK_ERROR_NOT_FOUND;
    *id = *found;
    return BPFLINK_OK;
  });
}

bpflink_status bpflink_btf_type(const bpflink_btf* btf, uint32_t id, const bpflink_type** type) {
  if (!type) return BPFLINK_ERROR_ARGUMENT;
  *type = nullptr;
  if (!is_void_or_type(btf, id)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto found = btf->types.find(id);
    if (found == btf->types.end())
      found = btf->types.emplace(id, describe_type(*btf->view, id, btf->arrays)).first;
    *type = &found->second;
    return BPFLINK_OK;
  });
}

char* bpflink_btf_declaration(const bpflink_btf* btf, uint32_t id, const char* name) {
  if (!is_void_or_type(btf, id) || !name) return nullptr;
  return give_text([&] { return print_c_declaration(*btf->view, id, name); });
}

char* bpflink_btf_definition(const bpflink_btf* btf, uint32_t id) {
  if (!is_type(btf, id)) return nullptr;
  return give_text([&] { return print_c_definition(*btf->view, id); });
}

}  // extern "C"
