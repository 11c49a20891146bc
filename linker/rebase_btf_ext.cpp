// Pass: .BTF.ext of the output.
//
// The records of all inputs, grouped by output section and sorted by
// instruction; what described dropped code is gone. The fields that this linker
// knows are moved and mapped; a record that is longer is kept whole, and where
// inputs have records of different lengths the longest serves all, the rest
// being filled with zeros.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linker/context.hpp"

namespace bpflink {
namespace {

constexpr uint32_t HEADER_SIZE = 32;

/// One of the three tables and how to map its records.
struct TableKind {
  BtfExtTable BtfExt::*table;
  /// Which words of a record are type ids and string offsets.
  std::array<bool, 4> is_type, is_string;
};

constexpr TableKind TABLES[] = {
    {&BtfExt::func_info, {false, true, false, false}, {false, false, false, false}},
    {&BtfExt::line_info, {false, false, false, false}, {false, true, true, false}},
    {&BtfExt::core_relo, {false, true, false, false}, {false, false, true, false}},
};

struct Record {
  uint64_t offset;  ///< of the instruction, in the output section
  const ObjectFile* object;
  const std::byte* bytes;
  uint32_t size;
};

class TableWriter {
 public:
  TableWriter(Context& context, const TableKind& kind) : context_(context), kind_(kind) {}

  /// The table's bytes; none where there are no records.
  std::vector<std::byte> write() {
    collect();
    std::vector<std::byte> out;
    for (auto& section : context_.sections) {
      auto& records = by_section_[section->index];
      if (records.empty()) continue;
      if (out.empty()) put(out, record_size_);
      std::ranges::stable_sort(records, {}, &Record::offset);
      put(out, context_.btf->add_string(section->name));
      put(out, static_cast<uint32_t>(records.size()));
      for (const Record& record : records) put(out, record);
    }
    return out;
  }

 private:
  void collect() {
    by_section_.resize(context_.sections.size() + 1);
    for (auto& object : context_.objects) {
      if (!object->btf_ext) continue;
      const BtfExtTable& table = (*object->btf_ext).*kind_.table;
      for (const BtfExtSection& part : table.sections) {
        record_size_ = std::max(record_size_, table.record_size);
        for (uint32_t i = 0; i < part.count; i++)
          collect(*object, object->sections[part.section],
                  part.records.subspan(size_t{i} * table.record_size, table.record_size));
      }
    }
  }

  void collect(const ObjectFile& object, const InputSection& section, std::span<const std::byte> record) {
    auto place = place_of(section, load<uint32_t>(record.data(), context_.byte_order));
    if (!place) return;
    by_section_[place->section->index].push_back(
        {place->offset, &object, record.data(), static_cast<uint32_t>(record.size())});
  }

  void put(std::vector<std::byte>& out, const Record& record) {
    size_t at = out.size();
    out.insert(out.end(), record.bytes, record.bytes + record.size);
    out.resize(at + record_size_);
    store<uint32_t>(&out[at], static_cast<uint32_t>(record.offset), context_.byte_order);
    for (size_t word = 1; word < kind_.is_type.size(); word++) {
      if (!kind_.is_type[word] && !kind_.is_string[word]) continue;
      std::byte* field = &out[at + 4 * word];
      uint32_t value = load<uint32_t>(field, context_.byte_order);
      value = kind_.is_type[word] ? record.object->type_map[value]
                                  : context_.btf->add_string(record.object->btf->string(value));
      store<uint32_t>(field, value, context_.byte_order);
    }
  }

  void put(std::vector<std::byte>& out, uint32_t word) const {
    out.resize(out.size() + 4);
    store<uint32_t>(&out[out.size() - 4], word, context_.byte_order);
  }

  Context& context_;
  const TableKind& kind_;
  uint32_t record_size_ = 0;
  std::vector<std::vector<Record>> by_section_;
};

}  // namespace

void rebase_btf_ext(Context& context) {
  if (!context.btf) return;
  std::vector<std::byte> header(HEADER_SIZE), body;
  auto put = [&](size_t at, uint32_t word) { store<uint32_t>(&header[at], word, context.byte_order); };
  store<uint16_t>(header.data(), 0xeb9f, context.byte_order);
  header[2] = std::byte{1};
  put(4, HEADER_SIZE);
  size_t field = 8;
  for (const TableKind& kind : TABLES) {
    std::vector<std::byte> table = TableWriter(context, kind).write();
    put(field, static_cast<uint32_t>(body.size()));
    put(field + 4, static_cast<uint32_t>(table.size()));
    field += 8;
    body.insert(body.end(), table.begin(), table.end());
  }
  if (body.empty()) return;
  context.output_btf_ext = std::move(header);
  context.output_btf_ext.insert(context.output_btf_ext.end(), body.begin(), body.end());
}

void finish_btf(Context& context) {
  if (!context.btf) return;
  auto blob = context.btf->finish(context.byte_order);
  if (!blob) return context.diagnostics.error(fmt::format(".BTF of the output: {}", blob.error().message));
  context.output_btf = std::move(*blob);
}

}  // namespace bpflink
