// bpfcore minimize: writes the BTF that programs need for each kernel, each blob once.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <tuple>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"
#include "linker/io/paths.hpp"
#include "linker/io/temporaries.hpp"
#include "linker/outputs.hpp"
#include "linker/programs/bpfcore/archive.hpp"
#include "linker/programs/bpfcore/commands.hpp"
#include "linker/programs/bpfcore/inputs.hpp"
#include "linker/programs/bpfcore/needs/core_check.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"
#include "linker/text/diagnostics.hpp"
#include "linker/text/locations.hpp"
#include "linker/text/program.hpp"

namespace bpflink {
namespace {

using Blob = std::vector<std::byte>;

/// A directory's name for an object: "trace.bpf" for "dir/trace.bpf.o".
std::string stem_of(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  return file_name_for(name.substr(0, name.rfind('.') == 0 ? name.npos : name.rfind('.')));
}

std::string file_name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// Directories that were made. They are removed again unless all files in them were written.
class NewDirectories {
 public:
  NewDirectories() = default;
  NewDirectories(const NewDirectories&) = delete;
  NewDirectories& operator=(const NewDirectories&) = delete;
  ~NewDirectories() {
    while (!made_.empty()) made_.pop_back();
  }

  std::expected<void, Error> make(const std::string& path) {
    if (::mkdir(path.c_str(), 0777) == 0)
      made_.emplace_back(path);
    else if (errno != EEXIST)
      return fail("{}: cannot make the directory: {}", path, std::strerror(errno));
    return {};
  }
  void keep() {
    for (Temporary& directory : made_) directory.keep();
    made_.clear();
  }

 private:
  std::vector<Temporary> made_;
};

class Minimize {
 public:
  explicit Minimize(const BpfcoreOptions& options) : options_(options) {}

  std::expected<void, Error> run() {
    auto inputs = TRY(open_inputs(options_));
    inputs_ = std::move(inputs);
    TRY(open_archive());
    warn_type_ids();
    summaries_.resize(inputs_.kernels.size());
    blobs_of_kernels_.resize(inputs_.kernels.size());
    notes_.resize(inputs_.kernels.size());
    auto done = for_each_kernel(inputs_, options_.threads, [&](size_t index, const Kernel& kernel) {
      return minimize(index, kernel);
    });
    if (!done) return done;
    warn_modules(notes_);
    share_blobs();
    return write();
  }

 private:
  /// An unwritable archive fails before any work.
  std::expected<void, Error> open_archive() {
    if (options_.archive.empty()) return {};
    TRY(check_file_names());
    if (auto archive = outputs_.open("--archive", options_.archive); !archive)
      return fail(archive.error().message);
    return check_outputs(outputs_, options_, inputs_);
  }

  /// A loader finds the types of an object in an archive by the object's file name.
  std::expected<void, Error> check_file_names() const {
    std::map<std::string, std::string_view> known;
    for (const CoreObject& object : inputs_.objects) {
      auto [first, is_new] = known.try_emplace(file_name_of(object.name), object.name);
      if (!is_new && !options_.merge)
        return std::unexpected(
            Error{fmt::format("--archive: loaders find types by file names, and {} and {} have one",
                              first->second, object.name),
                  "rename one, or give an archive to each; -o DIRECTORY takes both, and --merge "
                  "writes types for both"});
    }
    return {};
  }

  void warn_type_ids() const {
    for (const CoreObject& object : inputs_.objects)
      for (const CoreRecord& record : object.records) {
        if (record.relocation.kind != CoreKind::TypeIdTarget) continue;
        const ObjectFile& file = object.file();
        Diagnostic warning{
            .severity = Severity::Warning,
            .message = fmt::format("{} gets an id of the minimized BTF, which the kernel takes for "
                                   "one of its own (bpf_core_type_id_kernel)",
                                   record.function->name),
            .file = object.name};
        warning.references.emplace_back(ReferenceRole::Subject).location =
            location_of(file, file.sections[record.section], record.offset);
        warning.references.push_back(hint("load it with the kernel's own BTF"));
        print_diagnostic("bpfcore", warning);
      }
  }

  std::expected<void, Error> minimize(size_t index, const Kernel& kernel) {
    summaries_[index] = {kernel.name, kernel.identity};
    notes_[index] = kernel.notes;
    for (const CoreObject& object : inputs_.objects)
      if (std::string fault = find_byte_order_fault(object, kernel); !fault.empty())
        return fail("{}: {}: {}", object.name, kernel.name, fault);
    std::vector<Blob>& blobs = blobs_of_kernels_[index];
    auto finish = [&](CoreMinimizer& minimizer) -> std::expected<void, Error> {
      auto blob = minimizer.finish(kernel.btf.byte_order());
      if (!blob) return fail_in(kernel.name, blob.error());
      blobs.push_back(std::move(*blob));
      return {};
    };
    if (options_.merge) {
      CoreMinimizer minimizer(kernel.index);
      for (const CoreObject& object : inputs_.objects) keep_needed(object, minimizer);
      return finish(minimizer);
    }
    for (const CoreObject& object : inputs_.objects) {
      CoreMinimizer minimizer(kernel.index);
      keep_needed(object, minimizer);
      TRY(finish(minimizer));
    }
    return {};
  }

  /// The blob for one program, or for all of them, on one kernel.
  struct Use {
    size_t kernel, column;  ///< a column is a program, or all of them
    size_t blob;
  };

  std::string column_name(size_t column) const {
    return options_.merge ? "" : file_name_of(inputs_.objects[column].name);
  }

  /// Stores equal blobs of a column once. A file is named after the first kernel that uses it.
  void share_blobs() {
    size_t columns = options_.merge ? 1 : inputs_.objects.size();
    std::set<std::string> directories;
    for (size_t column = 0; column < columns; ++column) {
      std::string directory;
      if (columns > 1) {
        directory = stem_of(inputs_.objects[column].name);
        for (int i = 2; !directories.insert(directory).second; ++i)
          directory = fmt::format("{}-{}", stem_of(inputs_.objects[column].name), i);
      }
      std::map<std::string_view, size_t> known;
      std::set<std::string> names;
      for (size_t kernel = 0; kernel < summaries_.size(); ++kernel) {
        Blob& blob = blobs_of_kernels_[kernel][column];
        auto [entry, is_new] = known.try_emplace(text_of(blob), blobs_.size());
        uses_.push_back({kernel, column, entry->second});
        if (!is_new) continue;
        blobs_.push_back(std::move(blob));
        paths_.push_back((directory.empty() ? "" : directory + "/") + new_name(kernel, names));
      }
      if (!directory.empty()) directories_.push_back(directory);
    }
  }

  /// A unique file name for the kernel.
  std::string new_name(size_t kernel, std::set<std::string>& names) const {
    const KernelIdentity& known = summaries_[kernel].identity;
    std::string base =
        known.release.empty() ? file_name_of(summaries_[kernel].name) : known.release;
    if (base.ends_with(".btf")) base.resize(base.size() - std::string_view(".btf").size());
    if (!known.arch.empty() && !base.ends_with(known.arch)) base += "." + known.arch;
    base = file_name_for(base);
    std::string name = base + ".btf";
    for (int i = 2; !names.insert(name).second; ++i) name = fmt::format("{}-{}.btf", base, i);
    return name;
  }

  std::expected<void, Error> write() {
    if (!options_.output.empty()) {
      TRY(made_.make(options_.output));
      for (const std::string& directory : directories_)
        TRY(made_.make(options_.output + "/" + directory));
      // The index comes before its files, so that commit() puts it in its place after them.
      std::string index = make_index();
      TRY(add_file("index.json", std::as_bytes(std::span(index))));
      for (size_t i = 0; i < blobs_.size(); ++i) TRY(add_file(paths_[i], blobs_[i]));
    }
    if (const Outputs::Output* archive = outputs_.find("--archive")) {
      TRY(check_archive());
      if (auto ok = Outputs::write(*archive, make_archive(archive_entries(), blobs_)); !ok)
        return fail(ok.error().message);
    }
    TRY(check_outputs(outputs_, options_, inputs_));
    if (auto ok = outputs_.commit(); !ok) return fail(ok.error().message);
    made_.keep();
    return {};
  }

  /// Writes a file of the output directory.
  std::expected<void, Error> add_file(const std::string& path, std::span<const std::byte> bytes) {
    auto output = outputs_.open("-o", options_.output + "/" + path);
    if (!output) return fail(output.error().message);
    if (auto ok = Outputs::write(**output, bytes); !ok) return fail(ok.error().message);
    return {};
  }

  std::string make_index() const {
    using Json = nlohmann::ordered_json;
    Json kernels = Json::array();
    for (const KernelSummary& summary : summaries_) {
      kernels.push_back(to_json(summary));
      kernels.back()["files"] = Json::array();
    }
    for (const Use& use : uses_) {
      Json file{{"file", paths_[use.blob]}, {"bytes", blobs_[use.blob].size()}};
      if (!options_.merge) file["program"] = column_name(use.column);
      kernels[use.kernel]["files"].push_back(std::move(file));
    }
    Json index{{"version", 1}, {"kernels", std::move(kernels)}};
    return index.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
  }

  /// Errors: a loader could not find an entry, which it does by build id, or else by release and
  /// architecture.
  std::expected<void, Error> check_archive() const {
    std::map<std::tuple<size_t, std::string, std::string, std::string>, const Use*> known;
    for (const Use& use : uses_) {
      const std::string& name = summaries_[use.kernel].name;
      const KernelIdentity& kernel = summaries_[use.kernel].identity;
      if (kernel.build_id.empty() && kernel.release.empty())
        return fail(
            "{}: has no release and no build id by which a loader would find it in the "
            "archive: give them with --manifest, or --release",
            name);
      auto key = kernel.build_id.empty()
                     ? std::tuple(use.column, std::string(), kernel.release, kernel.arch)
                     : std::tuple(use.column, kernel.build_id, std::string(), std::string());
      auto [other, is_new] = known.try_emplace(std::move(key), &use);
      if (!is_new && other->second->blob != use.blob)
        return fail("{} and {} are one kernel to a loader: give their build ids with --manifest",
                    summaries_[other->second->kernel].name, name);
    }
    return {};
  }

  std::vector<ArchiveEntry> archive_entries() const {
    std::vector<ArchiveEntry> entries;
    entries.reserve(uses_.size());
    for (const Use& use : uses_)
      entries.push_back({column_name(use.column), summaries_[use.kernel].identity, use.blob});
    return entries;
  }

  const BpfcoreOptions& options_;
  CoreInputs inputs_;
  std::vector<KernelSummary> summaries_;
  std::vector<std::vector<std::string>> notes_;      ///< by kernel
  std::vector<std::vector<Blob>> blobs_of_kernels_;  ///< by kernel, by column
  std::vector<Blob> blobs_;                          ///< unique within a column
  std::vector<std::string> paths_;                   ///< by blob, relative to the output directory
  std::vector<std::string> directories_;
  std::vector<Use> uses_;
  NewDirectories made_;
  Outputs outputs_;  ///< declared after made_: removed before their directories
};

}  // namespace

std::expected<void, Error> minimize(const BpfcoreOptions& options) {
  return Minimize(options).run();
}

}  // namespace bpflink
