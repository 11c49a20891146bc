#include "linker/programs/btfdedup/merge/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "dedup/format/header.hpp"
#include "dedup/format/reader.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/elf_kind.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/kernel_image.hpp"
#include "linker/text/program.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {
namespace {

std::expected<bool, Error> is_same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  auto x = find_file(a), y = find_file(b);
  if (!x) return fail("{}: {}", a, x.error().message);
  if (!y) return fail("{}: {}", b, y.error().message);
  return *x && *y && FileIdentity(**x) == FileIdentity(**y);
}

/// Whether the strings of a blob continue those of a base.
bool is_split(std::span<const std::byte> blob) {
  auto header = read_header(blob);
  return header && header->strings_size != 0 && blob[header->strings_offset] != std::byte{0};
}

}  // namespace

Merger::Merger(const BtfdedupOptions& options, Bases bases)
    : options_(options),
      is_described_(!options.size_map.empty() || options.print_sizes != 0 ||
                    !options.explain.empty()),
      bases_(std::move(bases)) {}

/// Some of several files may have no BTF, such as the output of an assembler.
std::expected<void, Error> Merger::read() {
  if (!options_.update.empty() && options_.inputs.size() == 1) {
    auto is_same = TRY(is_same_file(options_.inputs[0], options_.update));
    updates_own_types_ = is_same;
  }
  if (bases_.empty())
    for (const std::string& path : options_.bases)
      TRY(read_base(bases_, path, options_.flatten, files_));
  if (!options_.linked.empty()) {
    auto elf = TRY(open_elf(options_.linked, files_));
    TRY(read_image_symbols(options_.linked, elf));
  }
  if (options_.choice.is_given()) {
    auto selection = TRY(Selection::read(options_.choice, files_));
    selection_ = std::move(selection);
  }
  auto inputs = TRY(list_inputs(options_.inputs, !options_.bases.empty()));
  std::vector<std::string> lacks;
  std::string last_lack,
      advice = options_.dwarf ? ": compile with -g" : ": compile with -g, with gcc -gbtf";
  for (const InputPath& input : inputs) {
    TypesOf wanted = options_.dwarf ? TypesOf::Dwarf : TypesOf::BtfOrDwarf;
    auto sources = TRY(open_sources(input, files_, wanted));
    bool is_alone = inputs.size() == 1 && sources.list.size() == 1;
    for (BtfSource& source : sources.list) {
      if (!source.has_dwarf) {
        TRY(add(std::move(source)));
      } else if (auto has_types = TRY(add_dwarf(source, is_alone)); !has_types) {
        sources.lack = source.name + ": has no types of C in its DWARF";
        advice = "";
      }
    }
    if (sources.lack.empty()) continue;
    last_lack = std::move(sources.lack);
    if (!input.is_listed) lacks.push_back(last_lack);
  }
  if (!has_begun()) return fail("{}{}", lacks.empty() ? last_lack : lacks.front(), advice);
  for (const std::string& lack : lacks) print_note("btfdedup", lack);
  if (selection_) {
    TRY(selection_->check());
    merged_.choice = selection_->take_printed();
  }
  return {};
}

/// Reads the functions and variables of a linked program.
std::expected<void, Error> Merger::read_image_symbols(const std::string& path, const ElfFile& elf) {
  auto symbols = bpflink::read_image_symbols(elf, options_.features);
  if (!symbols) return fail_in(path, symbols.error());
  image_symbols_ = std::move(*symbols);
  if (!options_.features.kfunc_tags) image_symbols_->tags.clear();
  if (!options_.features.attributes) image_symbols_->arena_functions.clear();
  image_name_ = path;
  return {};
}

/// Creates the deduplicator. A module's section .BTF.base replaces the kernel's BTF as its base.
std::expected<void, Error> Merger::begin(const BtfSource& first) {
  if (!first.base.empty()) {
    if (options_.distill)
      return fail("{}: has a section .BTF.base: it is already distilled", first.name);
    if (image_symbols_)
      return fail("{}: has a section .BTF.base, and --linked does not accept split BTF",
                  first.name);
  }
  TRY(add_own_base(bases_, first));
  base_of_inputs_ = first.base;
  auto is_sorted = TRY(sorts());
  DedupOptions options{.threads = options_.threads,
                       .base = selection_ ? nullptr : base(),
                       .borrow_inputs = true,
                       .sort = is_sorted,
                       .flatten = options_.flatten};
  if (image_symbols_)
    image_deduplicator_.emplace(options);
  else
    deduplicator_.emplace(options);
  return {};
}

/// Whether to sort the types: a sorted file stays sorted. A file's own types stay sorted in order
/// of first occurrence, because equal types have one name.
std::expected<bool, Error> Merger::sorts() const {
  if (options_.sort) return true;
  if (options_.update.empty() || updates_own_types_) return false;
  auto file = InputFile::open(options_.update);
  if (!file) return fail("{}: {}", options_.update, file.error().message);
  if (!is_elf(file->bytes())) return false;
  auto elf = read_elf(file->bytes());
  if (!elf || !elf->find(".BTF")) return false;
  auto btf = Btf::parse(elf->contents(elf->sections[*elf->find(".BTF")]), base());
  return btf && is_sorted_by_name(*btf);
}

/// Whether a source can be moved from its section .BTF.base to the base given. An updated file
/// keeps that section.
bool Merger::is_relocatable(const BtfSource& source) const {
  return !source.base.empty() && options_.bases.size() == 1 && bases_.size() == 1 &&
         options_.update.empty() && !options_.distill && !image_symbols_;
}

std::expected<void, Error> Merger::relocate(BtfSource& source) {
  if (!relocator_) relocator_.emplace(*base());
  auto blob = TRY(relocator_->relocate(source));
  OwnedBytes bytes = OwnedBytes::of(std::move(blob));
  source.contents = bytes.bytes;
  source.base = {};
  files_.push_back(InputFile::unpacked(std::move(bytes.owner), source.name, bytes.bytes, {}));
  return {};
}

std::expected<void, Error> Merger::add(BtfSource source) {
  if (is_relocatable(source)) TRY(relocate(source));
  if (!has_begun()) TRY(begin(source));
  if (!std::ranges::equal(source.base, base_of_inputs_))
    return fail("{}: is split from another base than {}", source.name, merged_.names.front());
  auto blobs = find_btf_blobs(source.contents);
  if (!blobs) return fail_in(source.name, blobs.error());
  for (std::span<const std::byte> blob : *blobs) {
    std::string name = source.name;
    if (blob.data() != source.contents.data())
      name += fmt::format("(+{:#x})", blob.data() - source.contents.data());
    TRY(add(source, name, blob));
  }
  return {};
}

/// Adds one blob of a source as a unit.
std::expected<void, Error> Merger::add(const BtfSource& source, const std::string& name,
                                       std::span<const std::byte> blob) {
  Stopwatch watch(merged_.statistics.classify);
  if (selection_) {
    auto selected = selection_->select(blob, base());
    if (!selected) return fail_in(name, selected.error());
    blob = *selected;
  }
  auto btf = image_deduplicator_ ? image_deduplicator_->add_blob(name, blob)
                                 : deduplicator_->add_blob(name, blob);
  if (!btf) {
    std::string advice = btf.error().advice;
    if ((image_deduplicator_ || !base()) && is_split(blob))
      advice = image_deduplicator_ ? "is it split BTF, which --linked does not accept?"
                                   : "is it split BTF, which needs --base?";
    return fail("{}: {}{}", name, btf.error().message,
                advice.empty() ? "" : fmt::format(" ({})", advice));
  }
  if (image_deduplicator_ && source.elf)
    for (std::string_view function : find_weak_functions(source.elf->image))
      image_deduplicator_->add_weak_function(function);
  bool is_first = merged_.names.empty();
  if (is_first) merged_.order = btf->byte_order();
  if (source.elf && !merged_.like) merged_.like = source.elf;
  bool is_kept = is_first && source.is_linked && keeps_kernel() && is_kernel_image(*btf);
  merged_.kernel = is_kept ? blob : std::span<const std::byte>();
  merged_.names.push_back(name);
  merged_.statistics.input.add(*btf, blob.size());
  if (is_described_) merged_.inputs.emplace_back(share(*btf), blob.size());
  if (updates_own_types_ && !image_deduplicator_)
    merged_.updated.push_back(
        {std::move(*btf), blob, static_cast<uint64_t>(blob.data() - source.contents.data())});
  return {};
}

/// Whether the output, if it is made of a linked kernel alone, has all ids and string offsets of
/// the kernel's BTF, which its modules are split from.
bool Merger::keeps_kernel() const {
  return !options_.output.empty() && bases_.empty() && !options_.sort && !image_symbols_;
}

std::expected<MergedBtf, Error> Merger::run() {
  Statistics& statistics = merged_.statistics;
  if (!merged_.kernel.empty()) {
    std::vector<uint32_t> ids(statistics.input.types);
    std::iota(ids.begin(), ids.end(), 1);
    merged_.dedup.type_maps.emplace_back(1, std::move(ids));
    return std::move(merged_);
  }
  {
    Stopwatch watch(statistics.resolve);
    auto result = TRY(image_deduplicator_ ? run_image_btf() : deduplicator_->run());
    merged_.dedup = std::move(result);
  }
  deduplicator_.reset();
  image_deduplicator_.reset();
  statistics.resolve -= merged_.dedup.classify_seconds;
  statistics.classify += merged_.dedup.classify_seconds;
  if (options_.flatten) count_bases();
  return std::move(merged_);
}

std::expected<DedupResult, Error> Merger::run_image_btf() {
  auto result = TRY(image_deduplicator_->run(*image_symbols_));
  // Of DWARF, there are some in nearly every file, and pahole says nothing either.
  std::vector<std::string> lines;
  if (options_.verbose)
    lines = list_absent_functions(result, *image_symbols_);
  else if (!merged_.has_dwarf)
    lines = describe_omitted(result);
  for (const std::string& line : lines) print_note("btfdedup", image_name_ + ": " + line);
  DedupResult dedup = std::move(result.dedup);
  merged_.statistics.linked = std::move(result);
  return dedup;
}

/// Counts flattened bases as inputs, in statistics and reports.
void Merger::count_bases() {
  std::vector<std::string> names;
  std::vector<TypeMap> maps;
  std::vector<std::pair<Btf, uint64_t>> inputs;
  for (const auto& base : bases_) {
    std::vector<uint32_t> ids;
    for (uint32_t id = base->btf.first_id(); id < base->btf.end_id(); ++id)
      ids.push_back(merged_.dedup.type_maps[0][id]);
    names.push_back(base->name);
    maps.emplace_back(base->btf.first_id(), std::move(ids));
    if (is_described_) inputs.emplace_back(share(base->btf), base->size);
    merged_.statistics.input.add(base->btf, base->size);
  }
  auto put_first = [](auto& all, auto& first) {
    all.insert(all.begin(), std::move_iterator(first.begin()), std::move_iterator(first.end()));
  };
  put_first(merged_.names, names);
  put_first(merged_.dedup.type_maps, maps);
  put_first(merged_.inputs, inputs);
}

}  // namespace bpflink
