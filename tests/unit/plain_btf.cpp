#include "plain_btf.hpp"

#include <bit>
#include <cstring>

namespace bpflink::test {

namespace {

/// The words of a kind after name and info: n for a number, r for a reference, s for a name.
struct KindWords {
  const char *own, *element = "";
};
constexpr KindWords kinds[] = {{"r"},        {"nn"},      {"r"},  {"nrrn"},    {"n", "srn"},
                               {"n", "srn"}, {"n", "sn"}, {"n"},  {"r"},       {"r"},
                               {"r"},        {"r"},       {"r"},  {"r", "sr"}, {"rn"},
                               {"n", "rnn"}, {"n"},       {"rn"}, {"r"},       {"n", "snn"}};
constexpr uint8_t STRUCT = 4, UNION = 5, ENUM = 6, FWD = 7, ENUM64 = 19;

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
  void add_words(PlainType& t, const char* forms) {
    for (; *forms != 0; ++forms) {
      uint32_t word = next();
      if (*forms == 'r')
        t.references.push_back(word);
      else
        t.words.push_back(*forms == 'n' ? word : names_.number(btf_.strings.data() + word));
    }
  }

  void add_type() {
    PlainType t;
    add_words(t, "sn");
    t.name = t.words[0];
    uint32_t info = t.words[1], count = info & 0xffffff;
    t.kind = info >> 24 & 0x7f;
    add_words(t, kinds[t.kind].own);
    if (*kinds[t.kind].element != 0)  // the count of a FUNC is its linkage
      for (uint32_t i = 0; i < count; ++i) add_words(t, kinds[t.kind].element);
    if (t.name != 0) t.space = space_of(t.kind, info >> 31 != 0);
    bool is_enum = t.space == TagSpace::OfEnum;
    t.is_declaration = t.kind == FWD || (is_enum && count == 0);
    btf_.types.push_back(std::move(t));
  }

  static TagSpace space_of(uint8_t kind, bool is_flagged) {
    if (kind == STRUCT || (kind == FWD && !is_flagged)) return TagSpace::OfStruct;
    if (kind == UNION || kind == FWD) return TagSpace::OfUnion;
    return kind == ENUM || kind == ENUM64 ? TagSpace::OfEnum : TagSpace::None;
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
