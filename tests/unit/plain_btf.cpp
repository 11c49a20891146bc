#include "plain_btf.hpp"

#include <bit>
#include <cstring>

namespace bpflink::test {

namespace {

constexpr uint8_t INT = 1, ARRAY = 3, STRUCT = 4, UNION = 5, ENUM = 6, FWD = 7, FUNC_PROTO = 13,
                  VAR = 14, DATASEC = 15, FLOAT = 16, DECL_TAG = 17, ENUM64 = 19;

/// The words of one blob, in either byte order.
class Words {
 public:
  explicit Words(std::span<const std::byte> blob) : blob_(blob) {
    uint16_t magic = 0;
    std::memcpy(&magic, blob.data(), sizeof magic);
    is_swapped_ = magic != 0xeb9f;
  }
  uint32_t at(size_t offset) const {
    uint32_t word = 0;
    std::memcpy(&word, &blob_[offset], sizeof word);
    return is_swapped_ ? __builtin_bswap32(word) : word;
  }

 private:
  std::span<const std::byte> blob_;
  bool is_swapped_ = false;
};

class Decoder {
 public:
  Decoder(std::span<const std::byte> blob, const PlainBtf* base, Names& names)
      : words_(blob), names_(names) {
    if (base != nullptr) btf_ = *base;
    btf_.first_id = btf_.end_id();
    uint32_t header = words_.at(4);
    at_ = header + words_.at(8);
    end_ = at_ + words_.at(12);
    auto strings = blob.subspan(header + words_.at(16), words_.at(20));
    btf_.strings.append(reinterpret_cast<const char*>(strings.data()), strings.size());
  }

  PlainBtf run() {
    while (at_ < end_) add_type();
    return std::move(btf_);
  }

 private:
  uint32_t next() {
    uint32_t word = words_.at(at_);
    at_ += 4;
    return word;
  }
  void add_number(PlainType& t) { t.words.push_back(next()); }
  void add_reference(PlainType& t) { t.references.push_back(next()); }
  void add_name(PlainType& t) { t.words.push_back(names_.number(btf_.strings.data() + next())); }

  void add_type() {
    PlainType t;
    add_name(t);
    t.name = t.words[0];
    add_number(t);
    uint32_t info = t.words[1];
    uint32_t count = info & 0xffffff;
    t.kind = info >> 24 & 0x7f;
    switch (t.kind) {
      case INT:
        add_number(t);
        add_number(t);
        break;
      case ARRAY:
        add_number(t);
        add_reference(t);
        add_reference(t);
        add_number(t);
        break;
      case STRUCT:
      case UNION:
        t.space = t.kind == STRUCT ? TagSpace::OfStruct : TagSpace::OfUnion;
        add_number(t);
        for (; count > 0; --count) {
          add_name(t);
          add_reference(t);
          add_number(t);
        }
        break;
      case ENUM:
      case ENUM64:
        t.space = TagSpace::OfEnum;
        t.is_declaration = t.name != 0 && count == 0;
        add_number(t);
        for (; count > 0; --count) {
          add_name(t);
          add_number(t);
          if (t.kind == ENUM64) add_number(t);
        }
        break;
      case FWD:
        t.space = info >> 31 ? TagSpace::OfUnion : TagSpace::OfStruct;
        t.is_declaration = true;
        add_number(t);
        break;
      case FUNC_PROTO:
        add_reference(t);
        for (; count > 0; --count) {
          add_name(t);
          add_reference(t);
        }
        break;
      case VAR:
      case DECL_TAG:
        add_reference(t);
        add_number(t);
        break;
      case DATASEC:
        add_number(t);
        for (; count > 0; --count) {
          add_reference(t);
          add_number(t);
          add_number(t);
        }
        break;
      case FLOAT:
        add_number(t);
        break;
      default:  // PTR, TYPEDEF, the qualifiers, FUNC, TYPE_TAG
        add_reference(t);
        break;
    }
    if (t.name == 0) t.space = TagSpace::None;
    btf_.types.push_back(std::move(t));
  }

  Words words_;
  Names& names_;
  PlainBtf btf_;
  size_t at_ = 0;
  size_t end_ = 0;
};

}  // namespace

PlainBtf decode(std::span<const std::byte> blob, const PlainBtf* base, Names& names) {
  return Decoder(blob, base, names).run();
}

}  // namespace bpflink::test
