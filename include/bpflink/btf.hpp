// BTF, the BPF Type Format: a checked, read-only view of a blob, and a builder for new ones. The
// kernel's Documentation/bpf/btf.rst specifies the format; "btf.rst" below.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// The kinds of types, btf.rst section 2.2.
enum class BtfKind : uint8_t {
  Void = 0,  ///< void, the type with id 0; never in a type section
  Int = 1,
  Ptr = 2,
  Array = 3,
  Struct = 4,
  Union = 5,
  Enum = 6,
  Fwd = 7,
  Typedef = 8,
  Volatile = 9,
  Const = 10,
  Restrict = 11,
  Func = 12,
  FuncProto = 13,
  Var = 14,
  Datasec = 15,
  Float = 16,
  DeclTag = 17,
  TypeTag = 18,
  Enum64 = 19,
};
/// The last one that this library knows.
inline constexpr BtfKind last_btf_kind = BtfKind::Enum64;

/// The name of a kind in messages and listings: "STRUCT" for BtfKind::Struct, "UNKNOWN" for an
/// unknown kind. Ends with NUL.
std::string_view btf_kind_name(BtfKind kind);

/// Whether this library knows the kind. Types of other kinds can be read if the layout section of
/// the blob or its base gives their size. Any of their words may refer to types, so deduplication
/// keeps them if no type of their blob changes its id, and fails otherwise.
constexpr bool is_known(BtfKind kind) {
  return kind <= last_btf_kind;
}
/// Whether a type of the kind has members: STRUCT and UNION.
constexpr bool is_composite(BtfKind kind) {
  return kind == BtfKind::Struct || kind == BtfKind::Union;
}
/// Whether a type of the kind has enumerators: ENUM and ENUM64.
constexpr bool is_enum(BtfKind kind) {
  return kind == BtfKind::Enum || kind == BtfKind::Enum64;
}
/// Whether a type of the kind qualifies another type: CONST, VOLATILE, RESTRICT and TYPE_TAG.
constexpr bool is_qualifier(BtfKind kind) {
  return kind == BtfKind::Const || kind == BtfKind::Volatile || kind == BtfKind::Restrict ||
         kind == BtfKind::TypeTag;
}
/// Whether a type of the kind is a qualifier or a TYPEDEF.
constexpr bool is_modifier(BtfKind kind) {
  return is_qualifier(kind) || kind == BtfKind::Typedef;
}

/// The size of types of one kind: an entry of a blob's layout section, which has one for each kind
/// from 0 on.
struct BtfKindLayout {
  uint8_t info_size;     ///< bytes after the common three words
  uint8_t element_size;  ///< bytes of each of the vlen elements after those
  uint16_t flags;        ///< none are defined yet
  /// Compares all members.
  friend bool operator==(const BtfKindLayout&, const BtfKindLayout&) = default;
};

/// Linkage of a BtfKind::Var (its word 3) and of a BtfKind::Func (its vlen),
/// btf.rst sections 2.2.12 and 2.2.14.
enum class BtfLinkage : uint32_t {
  Static = 0,
  Global = 1,
  Extern = 2,
};

/// Bits of BtfType::int_encoding(), btf.rst section 2.2.1. Not all compilers set the one for char.
inline constexpr uint32_t btf_int_signed = 1, btf_int_char = 2, btf_int_bool = 4;

/// A member of a struct or union, btf.rst section 2.2.4.
struct BtfMember {
  uint32_t name_off;  ///< its name's string offset, 0 for none
  uint32_t type;      ///< its type's id
  uint32_t offset;    ///< raw: with kind_flag, bitfield size << 24 | bit offset
};

/// A parameter of a function prototype. A last one with name_off 0 and type 0 stands for `...`.
struct BtfParam {
  uint32_t name_off;  ///< its name's string offset, 0 for none
  uint32_t type;      ///< its type's id
};

/// An enumerator of an ENUM or ENUM64, btf.rst sections 2.2.6 and 2.2.19.
struct BtfEnumerator {
  uint32_t name_off;  ///< its name's string offset
  uint64_t value;     ///< if kind_flag says that it is signed, in two's complement of 64 bits
  /// Compares all members.
  friend bool operator==(const BtfEnumerator&, const BtfEnumerator&) = default;
};

/// A variable (or, in `.ksyms`, an extern function) of a DATASEC.
struct BtfVarSecinfo {
  uint32_t type;    ///< id of a VAR or FUNC
  uint32_t offset;  ///< bytes from the start of the section
  uint32_t size;    ///< bytes
};

/// One type: the 32-bit words that encode it, in host byte order: name_off, info, size or type,
/// then what the kind adds. A value type that points into its Btf and is valid as long.
class BtfType {
 public:
  /// A view of `words`, which must encode one whole type and outlive the view.
  explicit BtfType(std::span<const uint32_t> words) : words_(words) {}

  /// All words of the type.
  std::span<const uint32_t> words() const { return words_; }
  /// The string offset of its name, 0 for none.
  uint32_t name_off() const { return words_[0]; }
  /// vlen, kind and kind_flag in one word.
  uint32_t info() const { return words_[1]; }
  /// Bits 24-30, as the wide form has it; the classic form uses fewer.
  BtfKind kind() const { return BtfKind((words_[1] >> 24) & 0x7f); }
  /// Bits 0-23, as the wide form has it; the classic form uses fewer.
  uint32_t vlen() const { return words_[1] & 0xffffff; }
  /// Bit 31; its meaning depends on the kind.
  bool kind_flag() const { return words_[1] >> 31; }
  /// Bytes; of INT, ENUM, ENUM64, STRUCT, UNION, DATASEC and FLOAT.
  uint32_t size() const { return words_[2]; }
  /// The id that it refers to; of PTR, TYPEDEF, the qualifiers, FUNC, FUNC_PROTO (the return type),
  /// VAR and DECL_TAG.
  uint32_t type() const { return words_[2]; }

  /// The words after the common three.
  std::span<const uint32_t> extra() const { return words_.subspan(3); }

  /// The i-th member (i < vlen) of a STRUCT or UNION.
  BtfMember member(uint32_t i) const {
    const uint32_t* w = &words_[3 + 3 * size_t{i}];
    return {w[0], w[1], w[2]};
  }
  /// The i-th parameter (i < vlen) of a FUNC_PROTO.
  BtfParam param(uint32_t i) const {
    const uint32_t* w = &words_[3 + 2 * size_t{i}];
    return {w[0], w[1]};
  }
  /// The i-th enumerator (i < vlen) of an ENUM or ENUM64.
  BtfEnumerator enumerator(uint32_t i) const {
    bool is_wide = kind() == BtfKind::Enum64;
    const uint32_t* w = &words_[3 + (is_wide ? 3 : 2) * size_t{i}];
    if (is_wide) return {w[0], w[1] | uint64_t{w[2]} << 32};
    auto extended = static_cast<uint64_t>(static_cast<int32_t>(w[1]));
    return {w[0], kind_flag() ? extended : w[1]};
  }
  /// The i-th variable (i < vlen) of a DATASEC.
  BtfVarSecinfo var_secinfo(uint32_t i) const {
    const uint32_t* w = &words_[3 + 3 * size_t{i}];
    return {w[0], w[1], w[2]};
  }
  /// The bit offset of member i, with or without kind_flag.
  uint32_t member_bit_offset(uint32_t i) const {
    uint32_t offset = member(i).offset;
    return kind_flag() ? offset & 0xffffff : offset;
  }
  /// The width in bits of member i if it is a bit-field and kind_flag is set, else 0.
  uint32_t member_bitfield_size(uint32_t i) const {
    return kind_flag() ? member(i).offset >> 24 : 0;
  }
  /// Of an ARRAY: the id of the elements' type.
  uint32_t array_element_type() const { return words_[3]; }
  /// Of an ARRAY: the id of the type of its indices.
  uint32_t array_index_type() const { return words_[4]; }
  /// Of an ARRAY: how many elements.
  uint32_t array_length() const { return words_[5]; }
  /// Of an INT: encoding << 24 | offset << 16 | bits.
  uint32_t int_data() const { return words_[3]; }
  /// Of an INT: 0, or some of btf_int_signed, btf_int_char and btf_int_bool.
  uint32_t int_encoding() const { return int_data() >> 24 & 0xf; }
  /// Of an INT: its first bit. Not 0 only in bit-fields of old compilers.
  uint32_t int_offset() const { return int_data() >> 16 & 0xff; }
  /// Of an INT: how many bits it has.
  uint32_t int_bits() const { return int_data() & 0xff; }
  /// Of a VAR: a BtfLinkage.
  BtfLinkage var_linkage() const { return BtfLinkage(words_[3]); }
  /// Of a FUNC: a BtfLinkage.
  BtfLinkage func_linkage() const { return BtfLinkage(vlen()); }
  /// Of a DECL_TAG: a member or parameter, or -1 for the whole.
  int32_t component_idx() const { return static_cast<int32_t>(words_[3]); }

 private:
  std::span<const uint32_t> words_;
};

/// The types and strings of a Btf or BtfBuilder, and of its base. Functions that read types take
/// this; a Btf and a BtfBuilder are views of what they have. A value that is cheap to copy, and
/// valid as long as what it shows: of a builder until the next addition. Accessors check nothing;
/// ids and offsets within types are in range.
class BtfView {
 public:
  /// No types.
  BtfView() = default;
  /// Types as words, with the index at which each begins, and the end, in `starts`, and their
  /// strings, each with its NUL. Ids and string offsets continue those of `base`, if there is one.
  BtfView(std::span<const uint32_t> words, std::span<const uint32_t> starts,
          std::string_view strings, const BtfView* base = nullptr)
      : words_(words),
        starts_(starts),
        strings_(strings),
        base_(base),
        first_id_(base != nullptr ? base->end_id() : 1),
        string_base_(base != nullptr ? base->string_end() : 0) {}

  /// The id of the first type that is not a base's.
  uint32_t first_id() const { return first_id_; }
  /// One past the id of the last type.
  uint32_t end_id() const {
    return first_id_ + static_cast<uint32_t>(starts_.empty() ? 0 : starts_.size() - 1);
  }
  /// The type with an id in [0, end_id()), a base's below first_id(). Void, 0, has no name.
  BtfType type(uint32_t id) const {
    static constexpr uint32_t of_void[3] = {};
    const BtfView* view = this;
    for (; id < view->first_id_; view = view->base_)
      if (view->base_ == nullptr) return BtfType(of_void);
    return BtfType(view->words_of(id));
  }
  /// The kind of the type with an id in [0, end_id()).
  BtfKind kind(uint32_t id) const { return type(id).kind(); }
  /// The string at an offset below string_end(), else "". Ends with NUL.
  std::string_view string(uint32_t offset) const {
    const BtfView* view = this;
    while (offset < view->string_base_) view = view->base_;
    offset -= view->string_base_;
    return offset < view->strings_.size() ? std::string_view(view->strings_.data() + offset)
                                          : std::string_view();
  }
  /// string(type.name_off()).
  std::string_view name(BtfType type) const { return string(type.name_off()); }
  /// The offset of the first byte of strings().
  uint32_t string_begin() const { return string_base_; }
  /// One past the last string offset, the base's included.
  uint32_t string_end() const { return string_base_ + static_cast<uint32_t>(strings_.size()); }
  /// The string section, without a base's.
  std::string_view strings() const { return strings_; }
  /// The base that these types are split from, or null.
  const BtfView* base() const { return base_; }

  /// The words of all types, one after the other, without a base's.
  std::span<const uint32_t> words() const { return words_; }
  /// The index in words() at which each type begins, and the end.
  std::span<const uint32_t> starts() const { return starts_; }
  /// The first word of a type that is not a base's.
  const uint32_t* first_word(uint32_t id) const { return words_.data() + starts_[id - first_id_]; }
  /// All words of a type that is not a base's.
  std::span<const uint32_t> words_of(uint32_t id) const {
    uint32_t i = id - first_id_;
    return words_.subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  std::span<const uint32_t> words_, starts_;
  std::string_view strings_;
  const BtfView* base_ = nullptr;
  uint32_t first_id_ = 1, string_base_ = 0;
};

/// The blobs in the contents of a `.BTF` section. Usually there is one; a linker that does not know
/// BTF concatenates those of its inputs, perhaps with zeros in between. Btf::parse() judges the
/// first. Errors, with the offset: what follows a blob is not BTF.
std::expected<std::vector<std::span<const std::byte>>, Error> find_btf_blobs(
    std::span<const std::byte> contents);

/// A blob of BTF, the contents of a `.BTF` section, that was checked as a whole: all that an
/// accessor returns lies within the blob, and every id within it is below `end_id()`. It reads a
/// blob in place that is aligned to 4 bytes and has the host's byte order; otherwise it keeps a
/// converted copy of the type section.
class Btf : public BtfView {
 public:
  /// Checks `blob`. It stays the caller's and must outlive the Btf; so must `base`, which a split
  /// blob continues: its type ids and string offsets begin at the base's end.
  ///
  /// Accepts both headers (24 and 32 bytes), either byte order, and the wide vlen and kind. Errors:
  /// not BTF; a header that does not fit the blob; overlapping or misaligned sections; a string
  /// section that does not begin and end with NUL; a type that is cut off; an unknown kind without
  /// a layout; an id, string offset, component index or element count out of range; a cycle of
  /// types that has no size. Each names the type id or offset. With a base: the blob is evidently
  /// not split from that one.
  static std::expected<Btf, Error> parse(std::span<const std::byte> blob,
                                         const Btf* base = nullptr);

  /// Moves; what was moved from may only be assigned to or destroyed.
  Btf(Btf&&) noexcept;
  /// Moves, as above.
  Btf& operator=(Btf&&) noexcept;
  ~Btf();

  /// The byte order of the blob.
  std::endian byte_order() const;
  /// The BTF that a split blob continues, or null.
  const Btf* base() const;
  /// The layout section, empty where the blob has none.
  std::span<const BtfKindLayout> layout() const;

 private:
  friend struct BtfAccess;
  struct Impl;
  explicit Btf(std::shared_ptr<Impl>);
  std::shared_ptr<Impl> impl_;
};

/// Makes a blob of BTF type by type. Types get ids in order of addition, and may refer to ids that
/// are added later. A view of the types added so far and of the base; what it gives is valid until
/// the next addition.
class BtfBuilder : public BtfView {
 public:
  /// A builder of a blob that stands alone or, with a `base`, of a split blob whose type ids and
  /// string offsets begin at the base's end. The base must outlive the builder, which reuses its
  /// strings.
  explicit BtfBuilder(const Btf* base = nullptr);
  /// Moves; what was moved from may only be assigned to or destroyed.
  BtfBuilder(BtfBuilder&&) noexcept;
  /// Moves, as above.
  BtfBuilder& operator=(BtfBuilder&&) noexcept;
  ~BtfBuilder();

  /// The offset of `string` in the string section, the same for equal strings, 0 for the empty one.
  /// `string` must not contain NUL.
  uint32_t add_string(std::string_view string);
  /// Adds a type from its three common words and those that its kind adds, and returns its id.
  /// Checks only that their number fits.
  uint32_t add_type(uint32_t name_off, uint32_t info, uint32_t size_or_type,
                    std::span<const uint32_t> extra = {});
  /// The word `info` of a type.
  static constexpr uint32_t info(BtfKind kind, uint32_t vlen = 0, bool kind_flag = false) {
    return uint32_t{kind_flag} << 31 | static_cast<uint32_t>(kind) << 24 | vlen;
  }

  /// The word `info` of a FUNC.
  static constexpr uint32_t info(BtfKind kind, BtfLinkage linkage) {
    return info(kind, static_cast<uint32_t>(linkage));
  }

  /// Adds a type from all words that encode it.
  uint32_t add_type(std::span<const uint32_t> words);
  /// Gives the blob a layout section, and so the long header.
  void set_layout(std::vector<BtfKindLayout> layout);

  /// The words of an added type, to change in place. Valid until the next addition.
  std::span<uint32_t> mutable_words(uint32_t id);

  /// The blob in byte order `order`. Errors: the types exceed a limit of the kernel: type ids up to
  /// 0xfffff, string offsets up to 0xffffff, vlen up to 0xffff. The message says which, by how
  /// much, and what uses most. A blob with a layout section, or with deduplicated types of a larger
  /// vlen, is in the wide form, whose vlen goes up to 0xffffff.
  std::expected<std::vector<std::byte>, Error> finish(std::endian order) const;

 private:
  friend struct BtfAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
