// Converts BTF for an older kernel or reader.
//
// Nothing moves: a type keeps its id and its number of words, a string its offset. So modules that
// are split from a kernel's BTF are also split from the converted one, and what refers to types by
// id, such as .BTF_ids, stays right. For that, each type that the release does not read becomes one
// of as many words:
//
//   ENUM64 of n values    3 + 3n words    UNION of n members, whose type is an INT of the blob
//   DATASEC of n VARs     3 + 3n          STRUCT of n members, with the VARs' names and offsets
//   FUNC_PROTO            3 + 2n          ENUM of n values
//   DECL_TAG, VAR         4               INT of one byte
//   FLOAT                 3               STRUCT without members
//   TYPE_TAG, FUNC        3               CONST, TYPEDEF
//
// The table of features (check/features.cpp) says what a release does not read, and what replaces
// it. It is the table that requirements come from, so converted BTF needs no newer release.
#include "bpflink/convert.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "dedup/check/checks.hpp"
#include "dedup/check/features.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/check_types.hpp"
#include "dedup/format/header.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

constexpr uint32_t bits_in_byte = 8;

using Result = std::expected<void, Error>;

class Converter {
 public:
  Converter(const Btf& btf, LinuxRelease release, BtfUse use)
      : btf_(btf),
        release_(release),
        use_(use),
        words_(btf.words().begin(), btf.words().end()),
        strings_(btf.strings()),
        types_(words_, btf.starts(), strings_, btf.base()) {
    auto all = btf_features();
    auto known =
        std::ranges::find_if(all, [&](const Feature& feature) { return feature.since <= release; });
    newer_ = {all.begin(), known};
  }

  Result run() {
    for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id) TRY(convert(id));
    return {};
  }

  std::vector<std::byte> write() const {
    bool has_layout = release_ >= releases::layouts;
    return write_blob(btf_.byte_order(), words_,
                      has_layout ? btf_.layout() : std::span<const BtfKindLayout>(), strings_);
  }

  const BtfView& types() const { return types_; }

 private:
  Result convert(uint32_t id) {
    if (!is_known(types_.kind(id))) {
      if (release_ >= releases::layouts) return {};
      return fail_for(id, fmt::format("is of kind {}, which needs a layout section",
                                      std::to_underlying(types_.kind(id))));
    }
    for (const Feature& feature : newer_)
      if (uses(feature, types_, types_.type(id), use_)) TRY(replace(id, feature));
    return {};
  }

  Result replace(uint32_t id, const Feature& feature) {
    std::span<uint32_t> words = words_of(id);
    uint32_t vlen = vlen_of(words.data());
    auto become = [&](BtfKind kind, uint32_t count = 0) {
      words[1] = BtfBuilder::info(kind, count);
      return Result();
    };
    switch (feature.replacement) {
      case Replacement::None:
        return fail_for(id, fmt::format("needs Linux {}.{}, for {}", feature.since.major,
                                        feature.since.minor, feature.what));
      case Replacement::CleanName:
        return clean_names(id, kind_row(types_.kind(id)).name_rule == NameRule::Section);
      case Replacement::NoKindFlag:
        return become(types_.kind(id), vlen);
      case Replacement::PlainMembers:
        return drop_member_flag(id);
      case Replacement::NoLinkage:
        return become(BtfKind::Func);
      case Replacement::Byte:
        words[2] = 1;
        words[3] = bits_in_byte;
        return become(BtfKind::Int);
      case Replacement::EmptyStruct:
        words[0] = 0;
        return become(BtfKind::Struct);
      case Replacement::Members:
        return make_members(id);
      case Replacement::ConstType:
        words[0] = 0;
        return become(BtfKind::Const);
      case Replacement::UnionOfInts:
        return make_union(id);
      case Replacement::Enumerators:
        words[0] = 0;
        words[2] = sizeof(uint32_t);
        return become(BtfKind::Enum, vlen);
      case Replacement::TypedefType:
        return become(BtfKind::Typedef);
    }
    return {};
  }

  /// Cleans the names of a type and of its elements, which may have dots or not.
  Result clean_names(uint32_t id, bool has_dots) {
    Result result;
    for_each_checked_name(types_.type(id), [&](uint32_t offset) {
      if (offset != 0 && result) result = clean_name(id, offset, has_dots);
    });
    return result;
  }

  /// Cleans a name where it stands. One of the base's strings must be clean when that is converted.
  Result clean_name(uint32_t id, uint32_t offset, bool has_dots) {
    if (offset >= types_.string_begin()) {
      bpflink::clean_name(strings_.data() + (offset - types_.string_begin()), has_dots);
      return {};
    }
    if (!base_) {
      base_ = std::make_unique<Converter>(*btf_.base(), release_, use_);
      TRY(base_->run());
    }
    NameKind name = name_kind(base_->types(), offset);
    if (name.is_identifier && (has_dots || !name.has_dot)) return {};
    return fail_for(id, "has a name that the release refuses, in the strings of the base");
  }

  /// Makes a DATASEC a STRUCT.
  Result make_members(uint32_t id) {
    BtfType section = types_.type(id);
    if (section.size() > UINT32_MAX / bits_in_byte)
      return fail_for(id, "becomes a struct, and is too large for one");
    std::span<uint32_t> words = words_of(id);
    for (uint32_t i = 0; i < section.vlen(); ++i) {
      BtfVarSecinfo entry = section.var_secinfo(i);
      // A VAR is an INT by now, or will be.
      if (btf_.kind(entry.type) != BtfKind::Var)
        return fail_for(id, "becomes a struct, and lists a function");
      std::span<uint32_t> member = words.subspan(common_words + 3 * size_t{i}, 3);
      member[0] = types_.type(entry.type).name_off();
      member[1] = entry.type;
      member[2] = entry.offset * bits_in_byte;
    }
    words[1] = BtfBuilder::info(BtfKind::Struct, section.vlen());
    return clean_names(id, false);
  }

  /// Makes an ENUM64 a UNION.
  Result make_union(uint32_t id) {
    BtfType type = types_.type(id);
    uint32_t vlen = type.vlen(), member_id = vlen != 0 ? smallest_int() : 0;
    if (vlen != 0 && (member_id == 0 || btf_.type(member_id).size() > type.size()))
      return fail_for(id, "becomes a union, for whose members there is no INT of its size or less");
    std::span<uint32_t> words = words_of(id);
    words[1] = BtfBuilder::info(BtfKind::Union, vlen);
    for (uint32_t i = 0; i < vlen; ++i) {
      std::span<uint32_t> member = words.subspan(common_words + 3 * size_t{i}, 3);
      member[1] = member_id;
      member[2] = 0;
    }
    return {};
  }

  /// Clears the kind_flag of a struct or union. Its offsets stay what they are if no member has a
  /// width.
  Result drop_member_flag(uint32_t id) {
    BtfType record = types_.type(id);
    for (uint32_t i = 0; i < record.vlen(); ++i)
      if (record.member_bitfield_size(i) != 0)
        return fail_for(id, "has bit-fields, for which the release needs types of their own");
    words_of(id)[1] = BtfBuilder::info(record.kind(), record.vlen());
    return {};
  }

  /// The id of the first of the smallest INTs of whole bytes, of the base's too; 0 if there is
  /// none.
  uint32_t smallest_int() {
    if (member_id_) return *member_id_;
    uint32_t smallest = 0;
    for (uint32_t id = 1; id < btf_.end_id(); ++id) {
      BtfType type = btf_.type(id);
      if (type.kind() != BtfKind::Int || !is_regular_int(type)) continue;
      if (smallest == 0 || type.size() < btf_.type(smallest).size()) smallest = id;
    }
    member_id_ = smallest;
    return smallest;
  }

  /// The words of a type, to change.
  std::span<uint32_t> words_of(uint32_t id) {
    return {words_.data() + (types_.first_word(id) - words_.data()), types_.words_of(id).size()};
  }

  std::unexpected<Error> fail_for(uint32_t id, std::string_view why) const {
    return fail("{} {}", describe_type(btf_, id), why);
  }

  const Btf& btf_;
  LinuxRelease release_;
  BtfUse use_;
  std::span<const Feature> newer_;  ///< features that the release does not have
  std::vector<uint32_t> words_;
  std::string strings_;
  BtfView types_;                      ///< of these
  std::unique_ptr<Converter> base_;    ///< the converted base, when a name there is asked for
  std::optional<uint32_t> member_id_;  ///< of smallest_int(), when it is known
};

}  // namespace

std::expected<std::vector<std::byte>, Error> convert_btf(const Btf& btf, LinuxRelease release,
                                                         BtfUse use) {
  if (release < releases::first) return fail("there is no BTF before Linux 4.18");
  Converter converter(btf, release, use);
  TRY(converter.run());
  return converter.write();
}

}  // namespace bpflink
