#include "linker/btfdedup/check.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "linker/btfdedup/inputs.hpp"
#include "linker/command_line/program.hpp"
#include "linker/error.hpp"
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

/// Of a decompressed kernel, no more is left than the BTF and facts of the ELF header.
BtfUse use_of(const BtfSource& source, const Btf* base) {
  if (!source.elf) return use_of_file(source.contents, source.contents, base);
  return source.elf->machine == EM_BPF ? BtfUse::Program : BtfUse::Kernel;
}

std::string as_text(const std::string& file, const BtfVerdict& verdict) {
  std::string text;
  for (const BtfFault& fault : verdict.faults)
    text += fmt::format("{}: {}\n", file, describe_fault(fault));
  if (verdict.omitted != 0) text += fmt::format("{}: {} more faults\n", file, verdict.omitted);
  if (has_types(verdict))
    text += fmt::format("{}: needs Linux {}, for {}\n", file, to_text(verdict.needs.release),
                        verdict.needs.what);
  return text;
}

nlohmann::ordered_json as_json(const BtfFault& fault) {
  const BtfRuleText& rule = btf_rule_text(fault.rule);
  return {{"rule", rule.key},
          {"type_id", fault.type_id},
          {"type", fault.type},
          {"subject", fault.subject},
          {"text", rule.text},
          {"kernel", rule.kernel},
          {"since", to_text(rule.since)},
          {"advice", rule.advice}};
}

nlohmann::ordered_json as_json(const std::string& file, BtfUse use, const BtfVerdict& verdict) {
  nlohmann::ordered_json json{{"file", file},
                              {"rules", use == BtfUse::Program ? "program" : "kernel"},
                              {"accepted", verdict.faults.empty()},
                              {"faults", nlohmann::ordered_json::array()},
                              {"omitted_faults", verdict.omitted}};
  for (const BtfFault& fault : verdict.faults) json["faults"].push_back(as_json(fault));
  if (has_types(verdict))
    json["needs"] = {{"linux", to_text(verdict.needs.release)},
                     {"for", verdict.needs.what},
                     {"type_id", verdict.needs.type_id}};
  return json;
}

class Check {
 public:
  explicit Check(const BtfdedupOptions& options) : options_(options) {}

  std::expected<bool, Error> run() {
    for (const std::string& path : options_.bases)
      if (auto ok = read_base(bases_, path, false, files_); !ok) return std::unexpected(ok.error());
    auto inputs = list_inputs(options_.inputs, !bases_.empty());
    if (!inputs) return std::unexpected(inputs.error());
    for (const InputPath& input : *inputs)
      if (auto ok = check(input); !ok) return std::unexpected(ok.error());
    if (options_.as_json)
      print_text(json_.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    if (auto ok = flush_output(); !ok) return std::unexpected(ok.error());
    return all_accepted_;
  }

 private:
  std::expected<void, Error> check(const InputPath& input) {
    std::vector<InputFile> files;  // only of this input
    auto sources = open_sources(input.path, files);
    if (!sources) return std::unexpected(sources.error());
    if (sources->list.empty() && !input.is_listed)
      return fail("{}: compile with -g, with gcc -gbtf", sources->lack);
    for (const BtfSource& source : sources->list)
      if (auto ok = check(source); !ok) return ok;
    return {};
  }

  std::expected<void, Error> check(const BtfSource& source) {
    Bases own;
    if (!source.base.empty())
      if (auto ok = add_base(own, source.name + ": .BTF.base", source.base); !ok) return ok;
    const Btf* base = last_of(own.empty() ? bases_ : own);
    std::span<const std::byte> file = source.elf ? source.elf->image : source.contents;
    BtfUse use = use_of(source, base);
    BtfVerdict verdict = check_file(file, source.contents, use, base);
    all_accepted_ &= verdict.faults.empty();
    if (options_.as_json)
      json_.push_back(as_json(source.name, use, verdict));
    else
      print_text(as_text(source.name, verdict));
    return {};
  }

  const BtfdedupOptions& options_;
  std::vector<InputFile> files_;
  Bases bases_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
  bool all_accepted_ = true;
};

}  // namespace

std::expected<bool, Error> check_inputs(const BtfdedupOptions& options) {
  return Check(options).run();
}

}  // namespace bpflink
