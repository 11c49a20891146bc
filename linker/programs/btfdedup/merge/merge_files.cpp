#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/distill.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/files/common_origin.hpp"
#include "linker/io/descriptor.hpp"
#include "linker/io/paths.hpp"
#include "linker/kernels/kernel_modules.hpp"
#include "linker/outputs.hpp"
#include "linker/programs/btfdedup/commands.hpp"
#include "linker/programs/btfdedup/inputs.hpp"
#include "linker/programs/btfdedup/merge/btf_ids.hpp"
#include "linker/programs/btfdedup/merge/merge.hpp"
#include "linker/programs/btfdedup/merge/update.hpp"
#include "linker/programs/btfdedup/show/show.hpp"
#include "linker/text/program.hpp"
#include "linker/text/progress.hpp"

namespace bpflink {
namespace {

/// The layout section of the kinds that are known.
std::vector<BtfKindLayout> known_layout() {
  std::vector<BtfKindLayout> layout;
  for (const KindRow& row : kind_table) {
    const KindWords& words = kind_words(row.kind);
    layout.push_back({static_cast<uint8_t>(4 * (words.head_words - 1)),
                      static_cast<uint8_t>(4 * words.element_words), 0});
  }
  return layout;
}

class Merge {
 public:
  /// `bases` are those of the options, if they are read already, from `base_files`.
  explicit Merge(const BtfdedupOptions& options, Bases bases = {},
                 std::span<const InputFile> base_files = {})
      : options_(options), base_files_(base_files), merger_(options, std::move(bases)) {}

  std::expected<void, Error> run() {
    // An unwritable output fails before any work.
    TRY(open_outputs());
    TRY(merger_.read());
    TRY(check_outputs());
    auto merged = TRY(merger_.run());
    auto blob = TRY(make_blob(merged));
    TRY(write_output(merged, blob));
    TRY(show(merged, blob));
    // Renames the outputs when nothing else can fail.
    auto renamed = outputs_.commit();
    return renamed ? std::expected<void, Error>() : fail(renamed.error().message);
  }

 private:
  std::expected<void, Error> open_outputs() {
    bool is_update = !options_.update.empty();
    for (auto [option, path, output, is_object] :
         {std::tuple{is_update ? "--update" : "-o", is_update ? &options_.update : &options_.output,
                     &output_, true},
          {"--size-map", &options_.size_map, &size_map_, false}}) {
      if (path->empty()) continue;
      auto opened = outputs_.open(option, *path, is_object);
      if (!opened) return fail(opened.error().message);
      *output = *opened;
    }
    return {};
  }

  /// Reports an output that is also an input, under whatever name, except by --update.
  std::expected<void, Error> check_outputs() const {
    bool is_update = !options_.update.empty();
    std::vector<NamedFile> inputs = named_files(merger_.files());
    std::ranges::copy(named_files(base_files_), std::back_inserter(inputs));
    if (is_update)
      std::erase_if(
          inputs, [&](const NamedFile& file) { return file.identity == output_->file.identity(); });
    auto is_related = [&](const ObjectFile& replaced) {
      return is_update || std::ranges::any_of(merger_.files(), [&](const InputFile& input) {
               auto other = ObjectFile::read(input.name(), input.bytes());
               return other && have_common_origin(replaced, **other);
             });
    };
    auto problems = outputs_.check(inputs, is_related);
    return problems.empty() ? std::expected<void, Error>() : fail(problems.front().message);
  }

  /// Makes the section .BTF of the output, and what changes with it in an updated file.
  std::expected<std::vector<std::byte>, Error> make_blob(MergedBtf& merged) {
    if (!merged.kernel.empty()) return std::vector(merged.kernel.begin(), merged.kernel.end());
    Stopwatch watch(merged.statistics.write);
    if (!options_.update.empty()) TRY(open_update(merged));
    if (options_.distill) TRY(distill_types(merged));
    const std::vector<UpdatedBlob>& old = merged.updated;
    DedupResult& dedup = merged.dedup;
    if (old.size() == 1)
      if (auto ok = updated_->adapt_ids(old[0].btf, dedup.type_maps[0], dedup.types); !ok)
        return fail_output(ok.error());
    if (options_.features.layout && merged.has_dwarf && !base())
      dedup.types.set_layout(known_layout());
    auto blob = dedup.types.finish(merged.order);
    if (!blob) return fail_output(blob.error());
    bool is_filled = updated_ && merged.has_dwarf && options_.fills_btf_ids;
    if (old.empty() && !is_filled) return blob;
    auto btf = Btf::parse(*blob, base());
    if (!btf) return fail_output(btf.error());
    if (is_filled) {
      if (!distilled_) TRY(look_up_ids(*btf));
      if (auto ok = updated_->fill_ids(ids_); !ok) return fail_output(ok.error());
    }
    if (old.empty()) return blob;
    if (auto ok = updated_->adapt_relocations(old, dedup.type_maps, *btf, *blob); !ok)
      return fail_output(ok.error());
    return blob;
  }

  /// Opens the file whose other sections must match its new BTF, which gets the file's byte order.
  std::expected<void, Error> open_update(MergedBtf& merged) {
    auto file = UpdatedFile::open(options_.update, merged.has_dwarf);
    if (!file) return fail_output(file.error());
    updated_ = std::move(*file);
    merged.order = updated_->elf().order;
    if ((options_.distill || merged.has_dwarf) && updated_->elf().find(".BTF.base"))
      return fail_output({"has a section .BTF.base: it is already distilled"});
    std::string_view section = updated_->section_with_ids();
    if (merged.has_dwarf && !options_.fills_btf_ids && section == ".BTF_ids") section = "";
    if (merged.updated.size() == 1 || section.empty()) return {};
    return fail_output({fmt::format("has a section {}, which would not fit types {}", section,
                                    !options_.linked.empty()  ? "of what was linked"
                                    : !merged.updated.empty() ? "of several units"
                                                              : "of other files")});
  }

  std::expected<void, Error> distill_types(MergedBtf& merged) {
    auto blob = merged.dedup.types.finish(merged.order);
    if (!blob) return fail_output(blob.error());
    auto split = Btf::parse(*blob, base());
    if (!split) return fail_output(split.error());
    std::vector<uint32_t> needed;
    if (merged.updated.size() == 1) {
      auto ids = find_btf_ids(updated_->elf(), merged.updated[0].btf);
      if (!ids) return fail_output(ids.error());
      for (uint32_t id : *ids) needed.push_back(merged.dedup.type_maps[0][id]);
    } else if (updated_ && merged.has_dwarf && options_.fills_btf_ids) {
      TRY(look_up_ids(*split));
      needed = ids_;
    }
    auto distilled = distill(*split, merged.order, needed);
    if (!distilled) return fail_output(distilled.error());
    compose(merged.dedup.type_maps, distilled->type_map);
    for (uint32_t& id : ids_) id = distilled->type_map[id];
    merged.dedup.types = std::move(distilled->types);
    distilled_ = std::move(*distilled);
    return {};
  }

  /// Finds the types that .BTF_ids of the updated file names. The first of a name counts, as for
  /// resolve_btfids.
  std::expected<void, Error> look_up_ids(const Btf& btf) {
    auto wanted = find_unfilled_ids(updated_->elf());
    if (!wanted) return fail_output(wanted.error());
    if (wanted->empty()) return {};
    std::map<std::pair<BtfKind, std::string_view>, uint32_t> ids;
    for (const NamedBtfId& named : *wanted) ids.emplace(std::pair(named.kind, named.name), 0);
    for (uint32_t id = 1; id < btf.end_id(); ++id) {
      BtfType type = btf.type(id);
      auto found = ids.find({type.kind(), btf.name(type)});
      if (found != ids.end() && found->second == 0) found->second = id;
    }
    std::vector<std::string_view> missing;
    for (const NamedBtfId& named : *wanted) {
      ids_.push_back(ids.at({named.kind, named.name}));
      if (ids_.back() == 0) missing.push_back(named.name);
    }
    if (!missing.empty())
      print_note("btfdedup", fmt::format("{}: section .BTF_ids names types that are not there: {}",
                                         options_.update, list_of(missing, 5)));
    return {};
  }

  std::expected<void, Error> write_output(MergedBtf& merged, std::span<const std::byte> blob) {
    if (!output_) return {};
    Stopwatch watch(merged.statistics.write);
    auto ok = write_contents(merged, blob);
    return ok ? ok : fail_output(ok.error());
  }

  std::expected<void, Error> write_contents(const MergedBtf& merged,
                                            std::span<const std::byte> blob) {
    int fd = output_->file.fd();
    std::span<const std::byte> base_blob;
    if (distilled_) base_blob = distilled_->base_blob;
    if (updated_) return updated_->write(fd, blob, base_blob);
    const ElfFile* like = merged.like ? &*merged.like : nullptr;
    if (options_.as_elf) return write_btf_object(fd, blob, base_blob, merged.order, like);
    return write_all_at(fd, 0, blob);
  }

  std::expected<void, Error> show(const MergedBtf& merged, std::span<const std::byte> blob) {
    if (!options_.verify && !size_map_ && !options_.prints()) return {};
    auto btf = Btf::parse(blob, base());
    if (!btf) return fail_output(btf.error());
    // Of one input, which is only shown, the result has the input's name.
    std::string name = output_ || merged.names.size() > 1 ? output_name() : merged.names.front();
    ShownBtf shown{name, blob, *btf, merged};
    if (options_.verify) {
      auto written = output_ ? InputFile::open(output_->file.fd(), name) : InputFile();
      if (!written) return fail_output(written.error());
      warn_of_faults(shown, output_ ? written->bytes() : blob);
    }
    if (size_map_) {
      std::string page = size_map_of(shown);
      auto ok = Outputs::write(*size_map_, std::as_bytes(std::span(page)));
      if (!ok) return fail(ok.error().message);
    }
    return options_.prints() ? print_reports(options_, shown) : std::expected<void, Error>();
  }

  /// An error about the output, whether it goes to a file or is only shown.
  std::unexpected<Error> fail_output(const Error& error) const {
    return fail("{}: {}", output_name(), error.message);
  }

  std::string output_name() const {
    const std::string& path = options_.update.empty() ? options_.output : options_.update;
    return path.empty() ? "the output" : path;
  }

  /// The base of the output, or null.
  const Btf* base() const {
    if (distilled_) return distilled_->base.get();
    return options_.flatten || options_.choice.is_given() ? nullptr : merger_.base();
  }

  const BtfdedupOptions& options_;
  std::span<const InputFile> base_files_;
  Outputs outputs_{"name another file, or use --update"};
  Outputs::Output *output_ = nullptr, *size_map_ = nullptr;  ///< of these, or null
  Merger merger_;
  std::optional<UpdatedFile> updated_;
  std::vector<uint32_t> ids_;  ///< for the unfilled section .BTF_ids of the updated file
  std::optional<DistilledBtf> distilled_;  ///< without its types: they are the merged ones
};

/// The file in a directory that a module's types go to: `nf_conntrack.btf`, as in /sys/kernel/btf.
std::expected<std::string, Error> output_in(const std::string& directory,
                                            const std::string& module) {
  auto name = TRY(module_name(module));
  if (name.empty()) name = std::filesystem::path(module).filename();
  std::string ending = name.ends_with(".btf") ? "" : ".btf";
  return (std::filesystem::path(directory) / (file_name_for(name) + ending)).string();
}

/// The options for each of several modules alone. Errors: an input cannot be read; two would have
/// one output.
std::expected<std::vector<BtfdedupOptions>, Error> list_modules(const BtfdedupOptions& options) {
  auto inputs = TRY(list_inputs(options.inputs, true));
  std::vector<BtfdedupOptions> modules;
  std::map<std::string, std::string> inputs_of;  // by output
  for (const InputPath& input : inputs) {
    // Whoever put it there chose the file that would be written.
    std::error_code error;
    if (input.is_listed && !options.update.empty() &&
        std::filesystem::is_symlink(input.path, error)) {
      print_note("btfdedup", input.path + ": a link, so --update of its directory leaves it out");
      continue;
    }
    BtfdedupOptions& module = modules.emplace_back(options);
    module.inputs = {input.path};
    module.threads = 1;
    if (!options.update.empty()) {
      module.update = input.path;
      continue;
    }
    auto output = TRY(output_in(options.output, input.path));
    auto [first, is_new] = inputs_of.emplace(output, input.path);
    if (!is_new)
      return fail("{}: would be written for both {} and {}", output, first->second, input.path);
    module.output = std::move(output);
  }
  return modules;
}

}  // namespace

std::expected<void, Error> merge_files(const BtfdedupOptions& options) {
  return Merge(options).run();
}

std::expected<bool, Error> merge_modules(const BtfdedupOptions& options) {
  std::vector<InputFile> files;  // mapped until the end
  Bases bases;
  for (const std::string& path : options.bases) TRY(read_base(bases, path, false, files));
  auto modules = TRY(list_modules(options));
  std::vector<std::optional<Error>> errors(modules.size());
  unsigned threads =
      options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  Progress progress(modules.size(), "module");
  auto done = for_each_index(modules.size(), threads, [&](size_t i) -> std::expected<void, Error> {
    auto ok = Merge(modules[i], bases, files).run();
    if (!ok) errors[i] = ok.error();
    progress.advance("");
    return {};
  });
  if (!done) return std::unexpected(done.error());
  for (const auto& error : errors)
    if (error) print_error("btfdedup", *error);
  return std::ranges::none_of(errors, [](const auto& error) { return error.has_value(); });
}

}  // namespace bpflink
