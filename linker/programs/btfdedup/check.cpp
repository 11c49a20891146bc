#include "bpflink/check.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <unordered_map>

#include "bpflink/dedup.hpp"
#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/programs/btfdedup/commands.hpp"
#include "linker/programs/btfdedup/inputs.hpp"
#include "linker/text/program.hpp"
#include "linker/types/loaded_btf.hpp"

namespace bpflink {
namespace {

std::string to_text(LinuxRelease release) {
  return fmt::format("{}.{}", release.major, release.minor);
}

/// Whether the blob could be read as far as its types: only then are its needs known.
bool has_types(const BtfVerdict& verdict) {
  return std::ranges::none_of(verdict.faults,
                              [](const BtfFault& fault) { return fault.type_id == 0; });
}

/// Types that repeat another type of their blob.
struct Duplicates {
  uint32_t count = 0;     ///< how many types repeat an earlier one
  uint32_t first = 0;     ///< the id of the first of them
  uint32_t repeated = 0;  ///< the id of the type that this one repeats
  std::string kind{};     ///< the first one's kind and name
  uint64_t bytes = 0;     ///< how much smaller the blob is without them and without unused strings
};

/// The types of a blob that stands alone which a deduplication merges with earlier ones. None if it
/// cannot be deduplicated. It takes as long as a run of btfdedup.
Duplicates find_duplicates(std::span<const std::byte> blob) {
  Deduplicator deduplicator({.threads = 1, .borrow_inputs = true});
  auto btf = deduplicator.add_blob("", blob);
  if (!btf) return {};
  auto result = deduplicator.run();
  if (!result) return {};
  auto merged = result->types.finish(btf->byte_order());
  if (!merged) return {};
  const TypeMap& map = result->type_maps[0];
  Duplicates duplicates;
  std::vector<uint32_t> first_with(map.size());  // by id of the output
  for (uint32_t id = 1; id < map.end_id(); ++id) {
    uint32_t& first = first_with[map[id]];
    if (first == 0) {
      first = id;
    } else if (++duplicates.count == 1) {
      duplicates.first = id;
      duplicates.repeated = first;
    }
  }
  if (duplicates.count == 0) return {};
  BtfType type = btf->type(duplicates.first);
  duplicates.kind = btf_kind_name(type.kind());
  if (std::string_view name = btf->name(type); !name.empty())
    duplicates.kind += fmt::format(" '{}'", shown_name(name));
  duplicates.bytes = blob.size() - std::min(blob.size(), merged->size());
  return duplicates;
}

/// "2 types repeat others, such as [7] FUNC_PROTO the type [3]".
std::string describe(const Duplicates& duplicates) {
  return fmt::format("{} {}, such as [{}] {} the type [{}]", count_of(duplicates.count, "type"),
                     agree(duplicates.count, "repeats another", "repeat others"), duplicates.first,
                     duplicates.kind, duplicates.repeated);
}

/// Of a decompressed kernel, no more is left than the BTF and facts of the ELF header.
BtfUse use_of(const BtfSource& source, const Btf* base) {
  if (!source.elf) return use_of_file(source.contents, source.contents, base);
  return source.elf->machine == EM_BPF ? BtfUse::Program : BtfUse::Kernel;
}

/// What is known of the BTF of one file.
struct CheckedBtf {
  std::string file;
  BtfUse use;
  BtfVerdict verdict;
  std::optional<LinuxRelease> target;  ///< whose rules count; without one, those of all releases
  std::optional<uint16_t> update;      ///< of the target
  std::string unplaced{};  ///< why a module's .BTF.base does not fit the base given, or ""
  Duplicates duplicates{};

  /// Whether the target accepts it, or without one a release new enough for what it uses.
  bool is_accepted() const {
    LinuxRelease release = target.value_or(std::max(verdict.needs.release, newest_known_release));
    return bpflink::is_accepted(verdict, release, update) && unplaced.empty();
  }
  /// The faults that count: those by the target's rules, or all.
  std::vector<BtfFault> faults() const {
    std::vector<BtfFault> faults = verdict.faults;
    if (target)
      std::erase_if(faults,
                    [&](const BtfFault& fault) { return !has_rule(*target, fault.rule, update); });
    return faults;
  }
};

std::string as_text(const CheckedBtf& checked) {
  const auto& [file, use, verdict, target, update, unplaced, duplicates] = checked;
  std::string text;
  for (const BtfFault& fault : checked.faults())
    text += fmt::format("{}: {}\n", file, printable(describe_fault(fault, verdict.misfit)));
  if (verdict.may_be_split) text += fmt::format("{}: may be split BTF: give its --base\n", file);
  if (verdict.omitted != 0) text += fmt::format("{}: {} more faults\n", file, verdict.omitted);
  if (!verdict.misfit.empty()) {
    if (verdict.faults.empty())
      text += fmt::format("{}: kernels accept it, but it is {}\n", file, verdict.misfit);
    return text;
  }
  if (!unplaced.empty())
    return text +
           fmt::format("{} (Linux: \"failed to validate module BTF\"); made for another kernel\n",
                       unplaced);
  if (has_types(verdict))
    text += fmt::format("{}: needs Linux {}, for {}\n", file, to_text(verdict.needs.release),
                        verdict.needs.what);
  if (duplicates.count != 0)
    text += fmt::format("{}: {}: without them, it has {} less\n", file, describe(duplicates),
                        count_of(duplicates.bytes, "byte"));
  return text;
}

nlohmann::ordered_json as_json(const BtfFault& fault, const std::string& misfit) {
  const BtfRuleText& rule = btf_rule_text(fault.rule);
  nlohmann::ordered_json until;
  if (rule.until != LinuxRelease()) until = to_text(rule.until);
  return {{"rule", rule.key},
          {"type_id", fault.type_id},
          {"type", fault.type},
          {"subject", fault.subject},
          {"text", rule.text},
          {"kernel", rule.kernel},
          {"since", to_text(rule.since)},
          {"until", until},
          {"advice", misfit.empty() ? rule.advice : misfit}};
}

nlohmann::ordered_json as_json(const CheckedBtf& checked) {
  const auto& [file, use, verdict, target, update, unplaced, duplicates] = checked;
  nlohmann::ordered_json json{{"file", file},
                              {"rules", use == BtfUse::Program ? "program" : "kernel"},
                              {"accepted", checked.is_accepted()},
                              {"faults", nlohmann::ordered_json::array()},
                              {"omitted_faults", verdict.omitted}};
  for (const BtfFault& fault : checked.faults())
    json["faults"].push_back(as_json(fault, verdict.misfit));
  if (!verdict.misfit.empty() || !unplaced.empty())
    json["misfit"] = verdict.misfit.empty() ? unplaced : verdict.misfit;
  else if (has_types(verdict))
    json["needs"] = {{"linux", to_text(verdict.needs.release)},
                     {"for", verdict.needs.what},
                     {"type_id", verdict.needs.type_id}};
  if (duplicates.count != 0)
    json["duplicates"] = {{"types", duplicates.count},
                          {"bytes", duplicates.bytes},
                          {"type_id", duplicates.first},
                          {"repeats", duplicates.repeated}};
  return json;
}

class Check {
 public:
  explicit Check(const BtfdedupOptions& options) : options_(options) {}

  std::expected<bool, Error> run() {
    for (const std::string& path : options_.bases) TRY(read_base(bases_, path, false, files_));
    if (bases_.size() == 1) relocator_.emplace(bases_.front()->btf);
    auto inputs = TRY(list_inputs(options_.inputs, !bases_.empty()));
    auto results = TRY(check_all(inputs));
    return print(inputs, results);
  }

 private:
  using Result = std::expected<std::vector<CheckedBtf>, Error>;

  /// Each thread has one file open at a time. Errors: that of the first input that has one.
  std::expected<std::vector<Result>, Error> check_all(const std::vector<InputPath>& inputs) const {
    std::vector<Result> results(inputs.size());
    std::atomic<size_t> next = 0;
    unsigned wanted =
        options_.threads != 0 ? options_.threads : std::thread::hardware_concurrency();
    auto threads = static_cast<unsigned>(std::clamp<size_t>(wanted, 1, inputs.size()));
    run_threads(threads, [&](unsigned) {
      for (size_t i = next++; i < inputs.size(); i = next++) results[i] = check(inputs[i]);
    });
    for (const Result& result : results)
      if (!result) return std::unexpected(result.error());
    return results;
  }

  Result check(const InputPath& input) const {
    std::vector<InputFile> files;  // only of this input
    auto sources = TRY(open_sources(input, files));
    if (sources.list.empty() && !input.is_listed)
      return fail("{}: compile with -g, with gcc -gbtf", sources.lack);
    std::vector<CheckedBtf> all;
    for (const BtfSource& source : sources.list) {
      auto checked = TRY(check(source));
      all.push_back(std::move(checked));
    }
    return all;
  }

  std::expected<CheckedBtf, Error> check(const BtfSource& source) const {
    Bases own;
    TRY(add_own_base(own, source));
    const Btf* base = last_of(own.empty() ? bases_ : own);
    std::span<const std::byte> file = source.elf ? source.elf->image : source.contents;
    BtfUse use = use_of(source, base);
    CheckedBtf checked{printable(source.name), use, check_file(file, source.contents, use, base),
                       options_.target, options_.target_update};
    const BtfVerdict& verdict = checked.verdict;
    if (base == nullptr && !verdict.misfit.empty())
      return fail("{}: is split BTF: --base names the vmlinux that it was made with", source.name);
    if (relocator_ && !source.base.empty() && checked.is_accepted())
      if (auto placed = relocator_->relocate(source); !placed)
        checked.unplaced = placed.error().message;
    // Only what pahole has deduplicated is expected to have no duplicates.
    if (use == BtfUse::Kernel && base == nullptr && checked.is_accepted())
      checked.duplicates = find_duplicates(source.contents);
    return checked;
  }

  bool is_module(const CheckedBtf& checked) const {
    return checked.use == BtfUse::Kernel && !bases_.empty();
  }

  /// The files of directories, and modules, in one line, but for what is wrong, and that once.
  class Summary {
   public:
    void add(const CheckedBtf& checked) {
      ++files_;
      std::string text = as_text(checked);
      std::string_view needs = ": needs Linux ";
      bool is_sound = checked.is_accepted() && checked.faults().empty() &&
                      checked.verdict.misfit.empty() && checked.duplicates.count == 0;
      if (is_sound) {
        ++sound_;
        if (newest_ < checked.verdict.needs.release) {
          newest_ = checked.verdict.needs.release;
          what_ = checked.verdict.needs.what;
        }
        return;
      }
      if (size_t at = text.rfind(checked.file + std::string(needs)); at != text.npos)
        text.erase(at, text.find('\n', at) + 1 - at);
      std::string cause;  // the same text without the name of the file
      for (size_t at = 0; at < text.size();) {
        size_t end = text.find('\n', at);
        std::string_view line = std::string_view(text).substr(at, end - at);
        if (line.starts_with(checked.file)) line.remove_prefix(checked.file.size());
        cause.append(line) += '\n';
        at = end + 1;
      }
      auto [known, is_new] = by_cause_.try_emplace(std::move(cause), causes_.size());
      if (is_new)
        causes_.push_back({std::move(text), {}});
      else
        causes_[known->second].others.push_back(checked.file);
    }

    std::string text() const {
      constexpr size_t most = 8;
      std::string all;
      for (const Cause& cause : causes_) {
        all += cause.text;
        size_t count = cause.others.size();
        if (count == 0) continue;
        auto shown = std::span(cause.others).first(std::min(count, most));
        all += fmt::format("  the same of {}: {}{}\n", count_of(count, "other file"),
                           fmt::join(shown, ", "), count > most ? ", ..." : "");
      }
      if (files_ == 0) return all;
      std::string count = sound_ == files_
                              ? count_of(files_, "file")
                              : fmt::format("{} of {}", sound_, count_of(files_, "file"));
      all += sound_ == 0 ? fmt::format("none of {} is accepted without a complaint\n",
                                       count_of(files_, "file"))
                         : fmt::format("{} accepted, which {} Linux {}, for {}\n", count,
                                       agree(sound_, "needs", "need"), to_text(newest_), what_);
      return all;
    }

   private:
    struct Cause {
      std::string text;  ///< of the first file
      std::vector<std::string> others;
    };

    size_t files_ = 0, sound_ = 0;
    LinuxRelease newest_{};
    std::string_view what_;
    std::vector<Cause> causes_;
    std::unordered_map<std::string, size_t> by_cause_;
  };

  /// Returns whether kernels accept all.
  std::expected<bool, Error> print(const std::vector<InputPath>& inputs,
                                   const std::vector<Result>& results) const {
    bool all_accepted = true;
    auto json = nlohmann::ordered_json::array();
    Summary summary;
    size_t modules = 0;
    for (const Result& result : results)
      modules += std::ranges::count_if(*result, [&](auto& checked) { return is_module(checked); });
    for (size_t i = 0; i < results.size(); ++i)
      for (const CheckedBtf& checked : *results[i]) {
        all_accepted &= checked.is_accepted();
        if (options_.as_json)
          json.push_back(as_json(checked));
        else if (inputs[i].is_listed || (modules > 1 && is_module(checked)))
          summary.add(checked);
        else
          print_text(as_text(checked));
      }
    print_text(summary.text());
    if (options_.as_json)
      print_text(json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    TRY(flush_output());
    return all_accepted;
  }

  const BtfdedupOptions& options_;
  std::vector<InputFile> files_;
  Bases bases_;
  std::optional<ModuleRelocator> relocator_;
};

}  // namespace

std::expected<bool, Error> check_inputs(const BtfdedupOptions& options) {
  return Check(options).run();
}

}  // namespace bpflink
