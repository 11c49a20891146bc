// Merges equal types.
#include <utility>

#include "bpflink/dedup.hpp"
#include "dedup/canonicalize.hpp"
#include "dedup/type_table.hpp"

namespace bpflink {

struct BPFLINK_INTERNAL Deduplicator::Impl {
  struct Input {
    std::string name;
    uint32_t first_id;
    std::vector<uint32_t> classes;
  };

  DedupOptions options;
  TypeTable table;
  std::vector<uint32_t> base_classes;
  std::vector<Input> inputs;
  std::vector<BtfKindLayout> layout;
  Error failure;

  void take_layout(const Btf& btf);
  std::vector<uint32_t> resolve_declarations() const;
  DedupResult emit(const std::vector<uint32_t>& resolved);
};

void Deduplicator::Impl::take_layout(const Btf& btf) {
  if (btf.layout().size() > layout.size()) layout.assign(btf.layout().begin(), btf.layout().end());
}

/// For each class the one that stands for it in the output.
std::vector<uint32_t> Deduplicator::Impl::resolve_declarations() const {
  std::vector<uint32_t> representatives(table.anchor_count());
  for (uint32_t c = 1; c < table.class_count(); ++c) {
    uint32_t anchor = table.anchor_of(c);
    if (anchor == 0) continue;
    uint32_t& representative = representatives[anchor];
    if (representative == 0 || (is_declaration(table.words(representative).data()) &&
                                !is_declaration(table.words(c).data())))
      representative = c;
  }
  std::vector<uint32_t> resolved(table.class_count());
  for (uint32_t c = 1; c < table.class_count(); ++c) {
    uint32_t anchor = table.anchor_of(c);
    resolved[c] =
        anchor != 0 && is_declaration(table.words(c).data()) ? representatives[anchor] : c;
  }
  // References to an anchor find its representative behind the classes.
  resolved.insert(resolved.end(), representatives.begin(), representatives.end());
  return resolved;
}

DedupResult Deduplicator::Impl::emit(const std::vector<uint32_t>& resolved) {
  DedupResult result{BtfBuilder(options.base), {}};
  std::vector<uint32_t> ids(table.class_count());
  std::vector<uint32_t> order;
  uint32_t next = 1;
  for (uint32_t id = 1; id < base_classes.size(); ++id, ++next) {
    if (ids[resolved[base_classes[id]]] == 0) ids[resolved[base_classes[id]]] = id;
  }
  for (Input& input : inputs) {
    for (uint32_t& c : input.classes) {
      if (c == omitted_class) {
        c = 0;
        continue;
      }
      uint32_t& id = ids[resolved[c]];
      if (id == 0) {
        id = next++;
        order.push_back(resolved[c]);
      }
      c = id;
    }
    result.type_maps.emplace_back(input.first_id, std::move(input.classes));
  }
  std::vector<uint32_t> words;
  for (uint32_t c : order) {
    std::span<const uint32_t> form = table.words(c);
    words.assign(form.begin(), form.end());
    for_each_string(std::span(words), [&](uint32_t& offset) {
      offset = result.types.add_string(table.strings().at(offset));
    });
    for_each_reference(std::span(words), [&](uint32_t& child) {
      if (child & anchor_bit)
        child = ids[resolved[table.class_count() + (child & ~anchor_bit)]];
      else
        child = ids[resolved[child]];
    });
    result.types.add_type(words);
  }
  if (!layout.empty()) result.types.set_layout(layout);
  return result;
}

Deduplicator::Deduplicator(DedupOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  if (options.base == nullptr) return;
  impl_->base_classes.resize(options.base->end_id());
  CanonicalizeJob job{options.base, {}, std::span(impl_->base_classes).subspan(1)};
  if (auto ok = canonicalize(job, impl_->table); !ok) impl_->failure = ok.error();
}

Deduplicator::Deduplicator(Deduplicator&&) noexcept = default;
Deduplicator& Deduplicator::operator=(Deduplicator&&) noexcept = default;
Deduplicator::~Deduplicator() = default;

void Deduplicator::add(std::string name, const Btf& btf, std::vector<bool> omit) {
  std::vector<uint32_t> classes(btf.end_id() - btf.first_id());
  for (uint32_t id = btf.first_id(); id < omit.size() && id < btf.end_id(); ++id)
    if (omit[id]) classes[id - btf.first_id()] = omitted_class;
  impl_->take_layout(btf);
  auto ok = canonicalize({&btf, impl_->base_classes, classes}, impl_->table);
  if (!ok && impl_->failure.message.empty())
    impl_->failure.message = name + ": " + ok.error().message;
  impl_->inputs.push_back({std::move(name), btf.first_id(), std::move(classes)});
}

std::expected<DedupResult, Error> Deduplicator::run() {
  if (!impl_->failure.message.empty()) return std::unexpected(impl_->failure);
  return impl_->emit(impl_->resolve_declarations());
}

}  // namespace bpflink
