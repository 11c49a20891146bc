// The kernel's macros BTF_ID(), BTF_SET_START() and so on reserve places for type ids in the
// section .BTF_ids, which resolve_btfids fills in at the end of a build. Only symbols show what is
// where:
//
//   __BTF_ID__struct__task_struct__7   a type id
//   __BTF_ID__set__name                a set: a count, then ids, which also have symbols
//   __BTF_ID__set8__name               a set of pairs: a count, flags of the set, then id and
//                                      flags of each
//
// The kernel uses binary search, so sets are sorted by id. An id of 0 means that the type was not
// found, or that the configuration excludes it.
#include "linker/programs/btfdedup/merge/btf_ids.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {
namespace {

constexpr std::string_view section_name = ".BTF_ids";
constexpr std::string_view id_prefix = "__BTF_ID__";
constexpr std::string_view set_prefix = "__BTF_ID__set__";
constexpr std::string_view set8_prefix = "__BTF_ID__set8__";
constexpr std::string_view function_prefix = "__BTF_ID__func__";
constexpr uint32_t set_of_kfuncs = 1;  ///< BTF_SET8_KFUNCS, a flag of a set
constexpr size_t word = sizeof(uint32_t);

/// A set. Its elements are one word or two, of which the first is the id.
struct IdSet {
  uint64_t offset;
  size_t header_words;
  size_t element_words;
  uint64_t size;  ///< bytes of the symbol
};

/// The kinds of types that symbols name.
constexpr std::pair<std::string_view, BtfKind> named_kinds[] = {{"func__", BtfKind::Func},
                                                                {"struct__", BtfKind::Struct},
                                                                {"union__", BtfKind::Union},
                                                                {"typedef__", BtfKind::Typedef}};

uint64_t offset_of(const ElfSymbol& symbol, const ElfFile& elf, const ElfSection& section) {
  return symbol.value - (elf.type == ET_REL ? 0 : section.address);
}

/// Whether `size` bytes at an offset are in the section.
bool is_inside(uint64_t offset, uint64_t size, uint64_t section_size) {
  return size <= section_size && offset <= section_size - size;
}

std::unexpected<Error> fail_outside(const ElfSymbol& symbol) {
  return fail("section {}: symbol '{}' is outside of it", section_name, symbol.name);
}

class IdsAdapter {
 public:
  IdsAdapter(const ElfFile& elf, const ElfSection& section) : elf_(elf), section_(section) {
    auto contents = elf.contents(section);
    bytes_.assign(contents.begin(), contents.end());
  }

  /// Finds the places of ids in section `index`.
  std::expected<void, Error> find_places(uint32_t index) {
    auto symbols = TRY(read_symbols(elf_));
    std::erase_if(symbols, [&](const ElfSymbol& symbol) { return symbol.section != index; });
    TRY(index_symbols(symbols));
    if (id_offsets_.empty() && sets_.empty())
      return fail("section {} has type ids, but no symbols that locate them", section_name);
    return {};
  }

  /// Finds the ids in section `index`, of types of `btf`.
  std::expected<std::vector<uint32_t>, Error> find(uint32_t index, const Btf& btf) {
    TRY(find_places(index));
    std::vector<uint32_t> ids;
    for (uint64_t offset : id_offsets_) {
      ids.push_back(load<uint32_t>(&bytes_[offset], elf_.order));
      if (ids.back() >= btf.end_id())
        return fail("section {}: type id {} at offset {:#x} is out of range, the last is {}",
                    section_name, ids.back(), offset, btf.end_id() - 1);
    }
    return ids;
  }

  /// What the symbols of the places name.
  std::expected<std::vector<NamedBtfId>, Error> names() const {
    std::vector<NamedBtfId> all;
    for (uint64_t offset : id_offsets_) {
      std::string_view name = names_.at(offset).substr(id_prefix.size());
      const auto* kind = std::ranges::find_if(
          named_kinds, [&](const auto& row) { return name.starts_with(row.first); });
      size_t end = name.rfind("__");  // behind it a number makes symbols unique
      if (kind == std::end(named_kinds) || end < kind->first.size())
        return fail("section {}: symbol '{}' names no type", section_name, names_.at(offset));
      all.push_back({kind->second, name.substr(0, end).substr(kind->first.size())});
    }
    return all;
  }

  /// Fills the places, and sets with the number of their elements.
  std::expected<void, Error> fill(std::span<const uint32_t> ids) {
    for (size_t i = 0; i < id_offsets_.size(); ++i)
      store<uint32_t>(&bytes_[id_offsets_[i]], ids[i], elf_.order);
    for (const IdSet& set : sets_) {
      uint64_t words = set.size / word;
      if (words < set.header_words) continue;
      store<uint32_t>(&bytes_[set.offset],
                      static_cast<uint32_t>((words - set.header_words) / set.element_words),
                      elf_.order);
    }
    return sort_sets();
  }

  /// Replaces the ids that find() found.
  std::expected<void, Error> adapt(const TypeMap& map) {
    auto checked = elf_.contents(section_);
    for (uint64_t offset : id_offsets_)
      store<uint32_t>(&bytes_[offset], map[load<uint32_t>(&checked[offset], elf_.order)],
                      elf_.order);
    return sort_sets();
  }

  std::vector<std::byte> release() { return std::move(bytes_); }

 private:
  std::expected<void, Error> sort_sets() {
    uint64_t end = 0;
    for (const IdSet& set : sets_) {
      if (set.offset < end)
        return fail("section {}: sets overlap at offset {:#x}", section_name, set.offset);
      auto set_end = TRY(sort(set));
      end = set_end;
    }
    return {};
  }

  /// Records where ids and sets are. Several symbols at one place count once.
  std::expected<void, Error> index_symbols(const std::vector<ElfSymbol>& symbols) {
    for (const ElfSymbol& symbol : symbols) {
      if (!symbol.name.starts_with(id_prefix)) continue;
      uint64_t offset = offset_of(symbol, elf_, section_);
      if (!is_inside(offset, word, bytes_.size())) return fail_outside(symbol);
      if (offset % word != 0)
        return fail("section {}: symbol '{}' is at offset {:#x}, expected a multiple of {}",
                    section_name, symbol.name, offset, word);
      if (symbol.name.starts_with(set_prefix))
        sets_.push_back({offset, 1, 1, symbol.size});
      else if (symbol.name.starts_with(set8_prefix))
        sets_.push_back({offset, 2, 2, symbol.size});
      else if (names_.emplace(offset, symbol.name).second)
        id_offsets_.push_back(offset);
    }
    std::ranges::sort(id_offsets_);
    std::ranges::sort(sets_, {}, &IdSet::offset);
    auto repeated = std::ranges::unique(sets_, {}, &IdSet::offset);
    sets_.erase(repeated.begin(), repeated.end());
    for (const IdSet& set : sets_) {
      auto next = std::ranges::lower_bound(id_offsets_, set.offset);
      if (next != id_offsets_.end() && *next < set.offset + set.header_words * word)
        return fail("section {}: a type id overlaps the count of the set at offset {:#x}",
                    section_name, set.offset);
    }
    return {};
  }

  /// Sorts the elements of a set by id. Returns the end of the set.
  std::expected<uint64_t, Error> sort(const IdSet& set) {
    uint64_t count = load<uint32_t>(&bytes_[set.offset], elf_.order);
    uint64_t left = bytes_.size() - set.offset;
    if ((set.header_words + count * set.element_words) * word > left)
      return fail("section {}: the set at offset {:#x} has {}, more than its bytes", section_name,
                  set.offset, count_of(count, "element"));
    uint64_t begin = set.offset + set.header_words * word;
    uint64_t size = count * set.element_words * word;
    using Element = std::array<std::byte, 2 * word>;
    std::vector<Element> elements(count);
    size_t element_size = set.element_words * word;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&elements[i], &bytes_[begin + i * element_size], element_size);
    std::ranges::stable_sort(elements, {}, [&](const Element& element) {
      return load<uint32_t>(element.data(), elf_.order);
    });
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&bytes_[begin + i * element_size], &elements[i], element_size);
    return begin + size;
  }

  const ElfFile& elf_;
  const ElfSection& section_;
  std::vector<std::byte> bytes_;
  std::unordered_map<uint64_t, std::string_view> names_;  ///< of symbols, by offset
  std::vector<uint64_t> id_offsets_;                      ///< sorted
  std::vector<IdSet> sets_;
};

}  // namespace

bool has_btf_ids(const ElfFile& elf) {
  auto index = elf.find(section_name);
  if (!index) return false;
  const ElfSection& section = elf.sections[*index];
  auto bytes = elf.contents(section);
  auto symbols = read_symbols(elf).value_or(std::vector<ElfSymbol>());
  // The compiler fills in the flags of sets and their elements, so only ids count.
  std::erase_if(symbols, [&](const ElfSymbol& symbol) {
    return symbol.section != *index || !symbol.name.starts_with(id_prefix);
  });
  if (symbols.empty())
    return std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  return std::ranges::any_of(symbols, [&](const ElfSymbol& symbol) {
    uint64_t offset = offset_of(symbol, elf, section);
    return !is_inside(offset, word, bytes.size()) || load<uint32_t>(&bytes[offset], elf.order) != 0;
  });
}

std::expected<std::vector<Kfunc>, Error> read_kfuncs(const ElfFile& elf,
                                                     std::span<const ElfSymbol> symbols) {
  auto index = elf.find(section_name);
  if (!index) return {};
  const ElfSection& section = elf.sections[*index];
  auto bytes = elf.contents(section);
  struct Range {
    uint64_t begin, end;
  };
  std::vector<Range> sets;
  struct Element {
    uint64_t offset;
    std::string_view function;
  };
  std::vector<Element> elements;
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.section != *index) continue;
    uint64_t offset = offset_of(symbol, elf, section);
    if (symbol.name.starts_with(set8_prefix)) {
      // resolve_btfids fills in the number of elements together with the ids.
      uint64_t size = std::max<uint64_t>(symbol.size, 2 * word);
      if (!is_inside(offset, size, bytes.size())) return fail_outside(symbol);
      if ((load<uint32_t>(&bytes[offset + word], elf.order) & set_of_kfuncs) != 0)
        sets.push_back({offset, offset + size});
    } else if (symbol.name.starts_with(function_prefix)) {
      std::string_view name = symbol.name.substr(function_prefix.size());
      elements.push_back({offset, name.substr(0, name.rfind("__"))});
    }
  }
  std::ranges::sort(sets, {}, &Range::begin);
  std::vector<Kfunc> kfuncs;
  for (const Element& element : elements) {
    auto next = std::ranges::upper_bound(sets, element.offset, {}, &Range::begin);
    if (next == sets.begin() || element.offset > std::prev(next)->end - 2 * word) continue;
    kfuncs.push_back({element.function, load<uint32_t>(&bytes[element.offset + word], elf.order)});
  }
  return kfuncs;
}

std::expected<std::vector<uint32_t>, Error> find_btf_ids(const ElfFile& elf, const Btf& btf) {
  if (!has_btf_ids(elf)) return {};
  uint32_t index = *elf.find(section_name);
  return IdsAdapter(elf, elf.sections[index]).find(index, btf);
}

std::expected<std::vector<NamedBtfId>, Error> find_unfilled_ids(const ElfFile& elf) {
  auto index = elf.find(section_name);
  if (!index || has_btf_ids(elf)) return {};
  IdsAdapter adapter(elf, elf.sections[*index]);
  TRY(adapter.find_places(*index));
  return adapter.names();
}

std::expected<std::vector<Patch>, Error> fill_btf_ids(const ElfFile& elf,
                                                      std::span<const uint32_t> ids) {
  std::vector<Patch> patches;
  auto index = elf.find(section_name);
  if (!index || has_btf_ids(elf)) return patches;
  IdsAdapter adapter(elf, elf.sections[*index]);
  TRY(adapter.find_places(*index));
  TRY(adapter.fill(ids));
  patches.push_back({elf.sections[*index].offset, adapter.release()});
  return patches;
}

std::expected<std::vector<Patch>, Error> adapt_btf_ids(const ElfFile& elf, const Btf& btf,
                                                       const TypeMap& map) {
  std::vector<Patch> patches;
  if (!has_btf_ids(elf)) return patches;
  uint32_t index = *elf.find(section_name);
  const ElfSection& section = elf.sections[index];
  IdsAdapter adapter(elf, section);
  TRY(adapter.find(index, btf));
  TRY(adapter.adapt(map));
  patches.push_back({section.offset, adapter.release()});
  return patches;
}

}  // namespace bpflink
