// Changes that a loader makes to the BTF of an object.
#include "linker/types/loaded_btf.hpp"

#include <elf.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "dedup/for_linker.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/files/elf_kind.hpp"

namespace bpflink {
namespace {

/// The kernel treats everything in .ksyms as an int.
constexpr uint32_t ksym_size = 4;

class LoaderFixups {
 public:
  LoaderFixups(const ObjectFile& object, const Btf& btf) : object_(object) {
    const BtfView& view = btf;
    begin_with_strings(types_, view.strings());
    for (uint32_t id = 1; id < view.end_id(); ++id) types_.add_type(view.words_of(id));
    types_.set_layout({btf.layout().begin(), btf.layout().end()});
    allow_wide_vlen(types_);
  }

  BtfBuilder& run() {
    hide_functions();
    for (uint32_t id : object_.datasecs) {
      std::string_view name = types_.name(types_.type(id));
      SectionRole role = role_of(name);
      if (role == SectionRole::Ksyms)
        fix_ksyms(id);
      else if (role == SectionRole::Kconfig)
        fix_kconfig(id);
      else
        fix_section(id, name);
      sort_by_offset(id);
    }
    return types_;
  }

 private:
  struct Entry {  // of a DATASEC
    uint32_t type, offset, size;
  };

  static std::vector<Entry> entries_of(BtfType datasec) {
    std::vector<Entry> entries;
    for (uint32_t i = 0; i < datasec.vlen(); ++i) {
      BtfVarSecinfo entry = datasec.var_secinfo(i);
      entries.push_back({entry.type, entry.offset, entry.size});
    }
    return entries;
  }

  void store(uint32_t id, uint32_t size, const std::vector<Entry>& entries) {
    std::span<uint32_t> words = types_.mutable_words(id);
    words[2] = size;
    size_t at = common_words;
    for (const Entry& entry : entries)
      for (uint32_t word : {entry.type, entry.offset, entry.size}) words[at++] = word;
  }

  void sort_by_offset(uint32_t id) {
    std::vector<Entry> entries = entries_of(types_.type(id));
    std::ranges::stable_sort(entries, {}, &Entry::offset);
    store(id, types_.type(id).size(), entries);
  }

  const InputSymbol* symbol_of(uint32_t id) const {
    const BtfDeclaration* found = object_.find_declaration(id);
    bool has_symbol = found != nullptr && found->symbol_index != 0;
    return has_symbol ? &object_.symbols[found->symbol_index] : nullptr;
  }

  void set_linkage(uint32_t var, BtfLinkage linkage) {
    types_.mutable_words(var)[common_words] = std::to_underlying(linkage);
  }

  /// Makes hidden functions static: the verifier checks static functions together with their
  /// callers.
  void hide_functions() {
    for (const BtfDeclaration& declaration : object_.declarations) {
      const InputSymbol* symbol = symbol_of(declaration.type_id);
      bool is_called = symbol != nullptr && symbol->is_in_section() &&
                       !object_.sections[symbol->section].holds_programs();
      if (is_called && declaration.is_func() && symbol->is_hidden())
        types_.mutable_words(declaration.type_id)[1] =
            BtfBuilder::info(BtfKind::Func, BtfLinkage::Static);
    }
  }

  void fix_section(uint32_t id, std::string_view name) {
    BtfType datasec = types_.type(id);
    uint32_t size = datasec.size();
    bool lacks_offsets = size == 0;
    if (const InputSection* section = lacks_offsets ? object_.find_section(name) : nullptr)
      size = static_cast<uint32_t>(section->size);
    std::vector<Entry> entries = entries_of(datasec);
    for (Entry& entry : entries) {
      BtfType type = types_.type(entry.type);
      if (type.kind() != BtfKind::Var || type.var_linkage() != BtfLinkage::Global) continue;
      const InputSymbol* symbol = symbol_of(entry.type);
      if (symbol == nullptr || symbol->type != STT_OBJECT) continue;
      if (lacks_offsets) entry.offset = static_cast<uint32_t>(symbol->value);
      if (symbol->is_hidden()) set_linkage(entry.type, BtfLinkage::Static);
    }
    store(id, size, entries);
  }

  /// The first INT of 32 bits, which becomes the type of everything in .ksyms.
  uint32_t find_int() {
    BtfView view = types_;
    for (uint32_t id = 1; id < view.end_id(); ++id)
      if (view.kind(id) == BtfKind::Int && view.type(id).int_bits() == 32) return id;
    return 0;
  }

  /// Kernels accept only variables in a DATASEC, so one variable stands for all functions.
  void fix_ksyms(uint32_t id) {
    uint32_t int_id = find_int(), placeholder = 0, name = 0, offset = 0;
    std::vector<Entry> entries = entries_of(types_.type(id));
    for (Entry& entry : entries) {
      if (types_.type(entry.type).kind() == BtfKind::Func) {
        if (placeholder == 0) {
          name = types_.add_string("dummy_ksym");
          uint32_t linkage = std::to_underlying(BtfLinkage::Global);
          placeholder =
              types_.add_type(name, BtfBuilder::info(BtfKind::Var), int_id, {&linkage, 1});
        }
        define_function(entry.type, name);
        entry.type = placeholder;
      } else {
        set_linkage(entry.type, BtfLinkage::Global);
        types_.mutable_words(entry.type)[2] = int_id;
      }
      entry.offset = offset;
      entry.size = ksym_size;
      offset += ksym_size;
    }
    store(id, offset, entries);
  }

  /// Makes an extern function global. Its parameters then need names.
  void define_function(uint32_t id, uint32_t name) {
    std::span<uint32_t> func = types_.mutable_words(id);
    func[1] = BtfBuilder::info(BtfKind::Func, BtfLinkage::Global);
    if (!named_prototypes_.insert(func[2]).second) return;
    std::span<uint32_t> prototype = types_.mutable_words(func[2]);
    for (size_t i = common_words; i < prototype.size(); i += 2)
      if (prototype[i] == 0 && prototype[i + 1] != 0) prototype[i] = name;
  }

  /// Lays variables out by descending alignment, then ascending size, then name.
  void fix_kconfig(uint32_t id) {
    struct Variable {
      uint32_t alignment, size;
      std::string_view name;
      size_t index;
    };
    std::vector<Entry> entries = entries_of(types_.type(id));
    std::vector<Variable> variables;
    for (size_t i = 0; i < entries.size(); ++i) {
      BtfType var = types_.type(entries[i].type);
      if (var.kind() != BtfKind::Var) return;
      auto size = static_cast<uint32_t>(type_size(types_, var.type()).value_or(0));
      variables.push_back(
          {type_alignment(types_, var.type()).value_or(1), size, types_.name(var), i});
    }
    std::ranges::sort(variables, [](const Variable& a, const Variable& b) {
      return std::tie(b.alignment, a.size, a.name) < std::tie(a.alignment, b.size, b.name);
    });
    uint64_t end = 0;
    for (const Variable& variable : variables) {
      end = align_up(end, uint64_t{variable.alignment});
      entries[variable.index].offset = static_cast<uint32_t>(end);
      end += variable.size;
      set_linkage(entries[variable.index].type, BtfLinkage::Global);
    }
    store(id, static_cast<uint32_t>(end), entries);
  }

  const ObjectFile& object_;
  BtfBuilder types_;
  std::unordered_set<uint32_t> named_prototypes_;
};

/// Whether it is an ELF file for BPF; nothing if it is no ELF file.
std::optional<bool> is_for_bpf(std::span<const std::byte> file) {
  if (!is_elf(file)) return std::nullopt;
  auto elf = read_elf(file);
  return elf && elf->machine == EM_BPF;
}

}  // namespace

std::optional<std::vector<std::byte>> loaded_btf(const ObjectFile& object,
                                                 std::span<const std::byte> blob) {
  auto btf = Btf::parse(blob);
  if (!btf || !object.btf || btf->end_id() != object.btf->end_id()) return std::nullopt;
  auto fixed = LoaderFixups(object, *btf).run().finish(btf->byte_order());
  if (!fixed) return std::nullopt;
  return std::move(*fixed);
}

BtfUse use_of_file(std::span<const std::byte> file, std::span<const std::byte> blob,
                   const Btf* base) {
  auto for_bpf = is_for_bpf(file);
  if (for_bpf) return *for_bpf ? BtfUse::Program : BtfUse::Kernel;
  auto btf = Btf::parse(blob, base);
  return base != nullptr || (btf && is_kernel_image(*btf)) ? BtfUse::Kernel : BtfUse::Program;
}

BtfVerdict check_file(std::span<const std::byte> file, std::span<const std::byte> blob, BtfUse use,
                      const Btf* base) {
  if (use == BtfUse::Program) base = nullptr;  // what is loaded stands alone
  if (use == BtfUse::Program && is_elf(file))
    if (auto object = ObjectFile::read("", file, {.keep_debug = true}))
      if (auto loaded = loaded_btf(**object, blob)) return check_btf(*loaded, use, base);
  return check_btf(blob, use, base);
}

}  // namespace bpflink
