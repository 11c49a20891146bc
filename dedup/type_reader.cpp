#include "dedup/type_reader.hpp"

#include <algorithm>
#include <numeric>

#include "dedup/btf_check.hpp"
#include "dedup/canonicalize.hpp"
#include "dedup/class_cycles.hpp"
#include "dedup/type_table.hpp"

namespace bpflink {

struct TypeReader::Impl {
  TypeTable table;
  Canonicalizer canonicalizer{table};
  bool is_strange = false;
  bool is_working = false;  ///< stays so where memory runs out, and then this is of no more use
};

TypeReader::TypeReader() : impl_(std::make_unique<Impl>()) {}
TypeReader::~TypeReader() = default;

std::expected<Btf, Error> TypeReader::find_types(std::span<const std::byte> blob) {
  return parse_unchecked(blob, nullptr, 1);
}

namespace {

/// Takes out what nobody merges.
void omit_objects(const TypeSection& types, std::vector<uint32_t>& classes) {
  for (uint32_t id = types.first_id; id < types.end_id(); ++id) {
    const uint32_t* words = types.at(id).words().data();
    uint32_t target = words[2];
    bool is_tag_of_object = kind_of(words) == BTF_KIND_DECL_TAG && target >= types.first_id &&
                            target < types.end_id() &&
                            is_object(types.at(target).words().data());
    if (is_object(words) || is_tag_of_object) classes[id - types.first_id] = omitted_class;
  }
}

}  // namespace

std::expected<void, Error> TypeReader::sort(const Btf& btf, std::span<const std::byte> blob,
                                            SortedTypes& sorted) {
  if (sort(btf, sorted)) return {};
  // All checks decide what is wrong, if anything is.
  auto checked = Btf::parse(blob);
  return checked ? std::expected<void, Error>() : std::unexpected(checked.error());
}

bool TypeReader::sort(const Btf& btf, SortedTypes& sorted) {
  if (impl_->is_working) return false;
  impl_->is_working = true;
  const TypeSection& types = type_section(btf);
  std::vector<uint32_t> classes(types.end_id() - types.first_id);
  omit_objects(types, classes);
  Canonicalizer& canonicalizer = impl_->canonicalizer;
  bool is_valid =
      canonicalizer.run(btf, {}, classes, Checks::to_do) && canonicalizer.check_omitted();
  impl_->is_strange |= canonicalizer.is_strange();
  impl_->is_working = false;
  if (is_valid) sorted = {this, std::move(classes)};
  return is_valid;
}

bool TypeReader::is_sound() const {
  if (impl_->is_working) return true;
  std::vector<uint32_t> all(impl_->table.class_count() - 1);
  std::iota(all.begin(), all.end(), 1);
  return !may_contain_themselves(impl_->table, std::move(all));
}

bool TypeReader::is_usable() const {
  return !impl_->is_working && !impl_->is_strange && impl_->table.reserved().empty();
}

TypeTable& TypeReader::table() {
  return impl_->table;
}

}  // namespace bpflink
