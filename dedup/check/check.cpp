// Checks whether a kernel accepts a blob. Begin here.
//
// A kernel checks a blob in phases and stops at the first fault. The same phases run here, each to
// its end, so that all faults are reported:
//
//   header and sections        (blob.cpp)
//   each type alone            (single_types.cpp)
//   what types refer to        (resolution.cpp)
//   the order of type tags     (tag_order.cpp)
//   structs with locks, kptrs and the like    (struct_fields.cpp)
//
// The texts of the rules are in rules.cpp. A feature of a newer kernel is not a fault but a
// requirement (features.cpp).
#include "bpflink/check.hpp"

#include <fmt/format.h>

#include <utility>

#include "bpflink/print.hpp"
#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/reader.hpp"

namespace bpflink {
namespace {

/// The largest kind that fits into the classic info word.
constexpr uint8_t max_classic_kind = 31;

/// Whether the strings are those of split BTF: others begin with an empty one.
bool begins_with_string(std::span<const std::byte> blob, const BtfHeader& header) {
  return header.strings_size != 0 && blob[header.strings_offset] != std::byte{0};
}

/// The types of a blob, up to the first one whose size is unknown.
struct TypeSection {
  std::vector<uint32_t> words, starts;
  bool is_whole = true;
};

/// Finds where types begin, up to the first one that is cut off or of unknown size.
TypeSection find_starts(std::span<const std::byte> blob, const BtfHeader& header, uint32_t first_id,
                        Findings& findings) {
  TypeSection types{.words = std::vector<uint32_t>(header.types_size / sizeof(uint32_t)),
                    .starts = {}};
  read_words(blob.data() + header.types_offset, types.words, header.order);
  std::optional<BtfRule> broken;
  if (header.types_size % sizeof(uint32_t) != 0) broken = BtfRule::CutOff;
  size_t at = 0, size = 0;
  for (; at < types.words.size(); at += size) {
    const uint32_t* words = &types.words[at];
    size_t left = types.words.size() - at;
    size = left < common_words ? left + 1 : known_size(words);
    if (size == 0)
      broken = std::to_underlying(kind_of(words)) > max_classic_kind ? BtfRule::InfoBits
                                                                     : BtfRule::UnknownKind;
    if (size > left) broken = BtfRule::CutOff;
    if (size == 0 || size > left) break;
    types.starts.push_back(static_cast<uint32_t>(at));
  }
  types.words.resize(at);
  uint32_t end_id = first_id + static_cast<uint32_t>(types.starts.size());
  if (broken) findings.add(*broken, end_id);
  types.is_whole = !broken;
  // A kernel reports this in its log, and accepts the blob without the types beyond the limit.
  if (end_id > max_type_id) findings.add(BtfRule::TypeCount);
  types.starts.push_back(static_cast<uint32_t>(at));
  return types;
}

/// Runs the checks of types. If some types could not be read, references are not checked.
void check_types(const BtfView& types, bool is_whole, BtfUse use, Findings& findings) {
  findings.note_types(types.end_id());
  check_single_types(types, findings);
  if (!is_whole) return;
  if (use == BtfUse::Program)
    check_resolution(types, findings);
  else
    check_id_ranges(types, findings);
  bool is_sound = !findings.has_faults();
  check_tag_order(types, findings);
  if (use == BtfUse::Program && is_sound) check_struct_fields(types, findings);
}

/// Fills in the texts of faults. Types are printed as C if the blob can be parsed.
class Describer {
 public:
  Describer(const BtfView& types, std::span<const std::byte> blob, const Btf* base)
      : types_(types), readable_(parse_without_cycle_check(blob, base)) {}

  void describe(BtfFault& fault) {
    if (fault.type_id < types_.first_id() || fault.type_id >= types_.end_id()) return;
    BtfType type = types_.type(fault.type_id);
    bool is_of_name = fault.rule == BtfRule::NameCharacters && fault.element < 0;
    fault.type = is_of_name ? kind_text(type) : type_text(fault.type_id, type);
    if (fault.element >= 0) fault.subject = subject(type, static_cast<uint32_t>(fault.element));
  }

 private:
  std::string type_text(uint32_t id, BtfType type) const {
    BtfKind kind = type.kind();
    bool is_of_c = kind != BtfKind::Datasec && kind != BtfKind::DeclTag;
    std::string c_text = readable_ && is_of_c ? one_line(print_c_declaration(*readable_, id)) : "";
    if (!c_text.empty()) return c_text;
    return kind_text(type);
  }

  /// The kind and the name, which need not be valid in C.
  std::string kind_text(BtfType type) const {
    std::string name = name_at(type.name_off()), text(btf_kind_name(type.kind()));
    return name.empty() ? text : fmt::format("{} '{}'", text, name);
  }

  std::string subject(BtfType type, uint32_t i) const {
    // The parameters of a FUNC are those of its prototype.
    std::string_view what = kind_row(type.kind()).element;
    if (type.kind() == BtfKind::Func) what = kind_row(BtfKind::FuncProto).element;
    std::string name;
    if (type.kind() == BtfKind::Datasec) {
      uint32_t id = type.var_secinfo(i).type;
      if (id != 0 && id < types_.end_id()) name = name_at(types_.type(id).name_off());
    } else if (const KindWords& words = kind_words(type.kind()); words.names.element != 0) {
      name = name_at(type.extra()[i * words.element_words]);
    }
    return name.empty() ? fmt::format("{} {}", what, i + 1) : fmt::format("{} '{}'", what, name);
  }

  std::string name_at(uint32_t offset) const {
    if (offset >= types_.string_end()) return "";
    return one_line(bounded_name(types_, offset).substr(0, max_text_length + 1));
  }

  /// The text in one line: white space becomes one blank, and the end of long texts "...".
  static std::string one_line(std::string_view text) {
    std::string line;
    for (char c : text) {
      bool is_blank = c == '\n' || c == '\t' || c == ' ';
      if (line.size() == max_text_length) return line + "...";
      if (!is_blank || line.empty() || line.back() != ' ') line += is_blank ? ' ' : c;
    }
    return line;
  }

  static constexpr size_t max_text_length = 100;

  const BtfView& types_;
  std::expected<Btf, Error> readable_;
};

}  // namespace

BtfVerdict check_btf(std::span<const std::byte> blob, BtfUse use, const Btf* base) {
  BtfVerdict verdict;
  Findings findings;
  auto header = check_blob(blob, use, base != nullptr, findings);
  bool is_split = header && findings.count() == 1 && begins_with_string(blob, *header);
  if (is_split && base == nullptr) verdict.misfit = lacks_base;
  if (!header || !verdict.misfit.empty()) {
    verdict.faults = findings.take_faults();
    return verdict;
  }
  uint32_t first_id = base != nullptr ? base->end_id() : 1;
  TypeSection section = find_starts(blob, *header, first_id, findings);
  auto strings = blob.subspan(header->strings_offset, header->strings_size);
  BtfView types(section.words, section.starts,
                {reinterpret_cast<const char*>(strings.data()), strings.size()}, base);
  check_types(types, section.is_whole, use, findings);
  verdict.needs = find_requirement(types, has_layout_fields(blob, *header), use);
  verdict.omitted = findings.omitted();
  verdict.faults = findings.take_faults();
  verdict.misfit = find_misfit(types);
  verdict.may_be_split =
      base == nullptr && section.is_whole && verdict.misfit.empty() && refers_beyond_end(types);
  if (verdict.faults.empty()) return verdict;
  if (!verdict.misfit.empty()) {
    verdict.faults.resize(1);
    verdict.omitted = 0;
  }
  Describer describer(types, blob, base);
  for (BtfFault& fault : verdict.faults) describer.describe(fault);
  return verdict;
}

std::string describe_fault(const BtfFault& fault, std::string_view misfit) {
  const BtfRuleText& rule = btf_rule_text(fault.rule);
  std::string text;
  if (fault.type_id != 0 && fault.type.empty()) text = fmt::format("[{}]: ", fault.type_id);
  if (!fault.type.empty()) text = fmt::format("[{}] {}: ", fault.type_id, fault.type);
  if (!fault.subject.empty()) text += fault.subject + ": ";
  text += rule.text;
  std::string linux = "Linux";
  if (rule.until != LinuxRelease())
    linux +=
        fmt::format(" {}.{} until {}.{}{}", rule.since.major, rule.since.minor, rule.until.major,
                    rule.until.minor, rule.patched.empty() ? "" : ", unless patched");
  if (!rule.kernel.empty())
    text += fmt::format(" ({}: \"{}\")", linux, rule.kernel);
  else if (rule.until != LinuxRelease())
    text += fmt::format(" ({})", linux);
  return fmt::format("{}; {}", text, misfit.empty() ? rule.advice : misfit);
}

bool is_kernel_image(const BtfView& btf) {
  for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) {
    bool is_struct = btf.kind(id) == BtfKind::Struct;
    if (is_struct && bounded_name(btf, btf.type(id).name_off()) == "bpf_ctx_convert") return true;
  }
  return false;
}

}  // namespace bpflink
