#include "linker/files/object_types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/declarations.hpp"
#include "linker/files/symbols_by_place.hpp"

namespace bpflink {
namespace {

/// Reads the types of one object; its steps are the calls in read().
class TypesReader {
 public:
  explicit TypesReader(ObjectFile& object) : object_(object) {}

  std::expected<void, Error> read(const ReadOptions& options) {
    TRY(read_btf());
    TRY(read_btf_ext());
    return bind_declarations(object_, options);
  }

  std::expected<void, Error> read_renamed(std::vector<std::byte> blob) {
    TRY(parse_btf(blob));
    object_.relocated_btf = std::move(blob);  // moving keeps the bytes in place
    list_types();
    return bind_declarations(object_, {});
  }

 private:
  std::expected<void, Error> read_btf() {
    InputSection* section = find_section(".BTF");
    if (!section) return {};
    TRY(check_contents(*section));
    auto bytes = TRY(with_relocations(*section, object_.relocated_btf));
    TRY(check_one_blob(bytes));
    TRY(parse_btf(bytes));
    if (object_.btf->byte_order() != object_.byte_order)
      return fail(".BTF has the other byte order than the object");
    if (!list_types()) return {};
    object_.relocated_btf = repair_btf(bytes, *object_.btf);
    TRY(parse_btf(object_.relocated_btf));
    list_types();
    return {};
  }

  /// A plain linker concatenates .BTF sections. The types, offsets and records of all but the first
  /// object then refer to unknown bytes of the merged sections.
  std::expected<void, Error> check_one_blob(std::span<const std::byte> bytes) {
    auto blobs = find_btf_blobs(bytes);
    if (!blobs || blobs->size() == 1) return {};
    return fail(
        ".BTF holds the types of {}, concatenated as by 'ld -r': link "
        "these objects with bpflink instead",
        count_of(blobs->size(), "object"));
  }

  /// A type that contains itself is found when types are merged, once instead of in each input.
  std::expected<void, Error> parse_btf(std::span<const std::byte> bytes) {
    auto btf = parse_without_cycle_check(bytes);
    if (!btf) return std::unexpected(Error{".BTF: " + btf.error().message, btf.error().advice});
    object_.btf = std::move(*btf);
    object_.btf_bytes = bytes;
    return {};
  }

  /// Lists the types whose use depends on symbols. Returns whether a type needs repair.
  bool list_types() {
    object_.datasecs.clear();
    object_.tags.clear();
    object_.declarations.clear();
    bool to_repair = false;
    const BtfView& types = *object_.btf;
    for (uint32_t id = 1; id < types.end_id(); ++id) {
      BtfKind kind = kind_of(types.first_word(id));
      if (kind == BtfKind::Int) to_repair |= needs_repair(types.type(id));
      if (!is_of_program(kind)) continue;
      if (kind == BtfKind::Datasec) object_.datasecs.push_back(id);
      if (kind == BtfKind::DeclTag) object_.tags.push_back(id);
      if (kind == BtfKind::Var || kind == BtfKind::Func)
        object_.declarations.emplace_back(id, types.words_of(id));
    }
    return to_repair;
  }

  std::expected<void, Error> read_btf_ext() {
    InputSection* section = find_section(".BTF.ext");
    if (!section) return {};
    if (!object_.btf) return fail("has .BTF.ext but no .BTF");
    TRY(check_contents(*section));
    auto bytes = TRY(with_relocations(*section, object_.relocated_btf_ext));
    auto find_code = [&](std::string_view name) -> std::optional<CodeSection> {
      for (const InputSection& code : object_.sections_named(name))
        if (code.is_linked() && code.is_code()) return CodeSection{code.index, code.data};
      return std::nullopt;
    };
    auto may_begin_function = [&](uint32_t index, uint64_t offset) {
      if (object_.by_place().begins_function(index, offset)) return true;
      if (is_covered(index, offset)) return false;
      object_.sections[index].nameless_functions.push_back(offset);
      return true;
    };
    auto ext = TRY(
        BtfExt::parse(bytes, {*object_.btf, object_.byte_order, find_code, may_begin_function}));
    object_.btf_ext = std::move(ext);
    for (InputSection& code : object_.linked_sections()) std::ranges::sort(code.nameless_functions);
    return {};
  }

  /// Whether a symbol covers the byte. Called only for objects that have functions without one.
  bool is_covered(uint32_t section, uint64_t offset) {
    if (covers_.empty()) find_covers();
    const std::vector<Extent>& covers = covers_[section];
    auto after = std::ranges::upper_bound(covers, offset, {}, &Extent::begin);
    return after != covers.begin() && offset < (after - 1)->end;
  }

  void find_covers() {
    covers_.resize(object_.sections.size());
    for (const InputSymbol& symbol : object_.symbols)
      if (is_cut_at(symbol))
        covers_[symbol.section].push_back({symbol.value, symbol.value + symbol.size});
    for (const InputSection& section : object_.sections) {
      sort_extents(covers_[section.index], section.size);
      uint64_t end = 0;
      for (Extent& cover : covers_[section.index]) end = cover.end = std::max(end, cover.end);
    }
  }

  /// The bytes of .BTF or .BTF.ext with the symbols' values added. Compilers refer to section
  /// symbols, whose value is 0, and to globals, which are found by name later. Then nothing changes
  /// and nothing is copied.
  std::expected<std::span<const std::byte>, Error> with_relocations(
      InputSection& section, std::vector<std::byte>& storage) {
    std::vector<Relocation> relocations = std::move(section.relocations);  // not needed any more
    auto changes_bytes = [&](const Relocation& relocation) {
      const InputSymbol& symbol = object_.symbols[relocation.symbol];
      return symbol.is_local() && symbol.value != 0;
    };
    if (std::none_of(relocations.begin(), relocations.end(), changes_bytes)) return section.data;
    storage.assign(section.data.begin(), section.data.end());
    for (const Relocation& relocation : relocations) {
      if (!changes_bytes(relocation)) continue;
      int64_t value =
          relocation.addend + static_cast<int64_t>(object_.symbols[relocation.symbol].value);
      if (!store_addend(relocation.type, storage.data() + relocation.offset, value,
                        object_.byte_order))
        return fail("relocation at {}+{:#x} does not fit 32 bits", section.name, relocation.offset);
    }
    return storage;
  }

  InputSection* find_section(std::string_view name) {
    for (const InputSection& section : object_.sections_named(name))
      if (section.type == SHT_PROGBITS || section.type == SHT_NOBITS)
        return &object_.sections[section.index];
    return nullptr;
  }

  ObjectFile& object_;
  /// By section; each ends where the furthest of those that begin up to it does.
  std::vector<std::vector<Extent>> covers_;
};

}  // namespace

std::expected<void, Error> read_object_types(ObjectFile& object, const ReadOptions& options) {
  return TypesReader(object).read(options);
}

std::expected<void, Error> read_renamed_types(ObjectFile& object, std::vector<std::byte> blob) {
  return TypesReader(object).read_renamed(std::move(blob));
}

}  // namespace bpflink
