// Pass: rebuild .BTF.ext.
//
// The records of all inputs are grouped by output section and sorted by instruction. Records of
// dropped code are dropped. In the known fields, offsets, type ids and strings are mapped. Longer
// records keep their other bytes: if inputs have records of different lengths, all get the longest
// length, padded with zeros.
//
// With --strip-line-info, line_info has one record for each function, without a file and a line. It
// cannot be empty: cilium/ebpf wants to read the size of records, and libbpf takes no .BTF.ext with
// a table that has a size and no records. Strings are added only when a record is written, so .BTF
// has no strings of omitted records.
//
// If a program has func_info or line_info, loaders require a record for every function that the
// program calls. Functions without one get one.
#include <algorithm>
#include <array>
#include <cstring>

#include "linker/state/insn_set.hpp"

namespace bpflink {
namespace {

/// A record made for a function, of func_info or of line_info.
struct MadeRecord {
  uint32_t func = 0;             ///< type id of the FUNC
  std::string_view source = {};  ///< the function's source file
};

/// A record at its offset in the output. Its other fields are mapped when it is written.
struct Record {
  uint64_t offset;  ///< of the instruction, in the output section
  const std::byte* bytes;
  const ObjectFile* object;  ///< the object that it is from; null if it was made
  MadeRecord made = {};
};

class TableWriter {
 public:
  TableWriter(Context& context, const BtfExtTableKind& kind) : context_(context), kind_(kind) {
    by_section_.resize(context_.sections.size() + 1);
  }

  /// Adds the records of all inputs.
  void collect() {
    make_room();
    for (auto& object : context_.objects) collect(*object);
  }

  /// Makes room for made records alone, if the inputs have any.
  void leave_out() {
    for (const auto& object : context_.objects)
      if (object->btf_ext && !((*object->btf_ext).*kind_.table).sections.empty())
        record_size_ = kind_.least_record_size;
  }

  const BtfExtTableKind& kind() const { return kind_; }
  bool has_records() const { return record_size_ != 0; }

  /// The instructions that have a record.
  InsnSet places() const {
    InsnSet set(context_);
    for (const auto& section : context_.sections)
      for (const Record& record : by_section_[section->index])
        set.add({section.get(), record.offset});
    return set;
  }

  /// Adds a made record. A source file's string is added when the record is written, so that a
  /// second link adds strings in the same order.
  void add(OutputPlace place, const MadeRecord& record) {
    by_section_[place.section->index].push_back({place.offset, nullptr, nullptr, record});
  }

  /// Call this after the last record is added.
  void sort() {
    for (auto& records : by_section_) {
      // Objects follow one another, and most have sorted records.
      if (!std::ranges::is_sorted(records, {}, &Record::offset))
        std::ranges::stable_sort(records, {}, &Record::offset);
      if (!kind_.may_repeat) keep_last_of_each(records);
    }
  }

  /// The size of the table in bytes; 0 without records.
  size_t size() const {
    size_t size = 0;
    for (const auto& records : by_section_)
      if (!records.empty()) size += btf_ext_section_header + records.size() * record_size_;
    return size == 0 ? 0 : btf_ext_table_header + size;
  }

  /// Writes the table's size() bytes, which must be zero before.
  void write(std::byte* at) const {
    if (size() == 0) return;
    store<uint32_t>(at, record_size_, context_.byte_order);
    at += btf_ext_table_header;
    for (auto& section : context_.sections) {
      const auto& records = by_section_[section->index];
      if (records.empty()) continue;
      store<uint32_t>(at, context_.btf->add_string(section->name), context_.byte_order);
      store<uint32_t>(at + 4, static_cast<uint32_t>(records.size()), context_.byte_order);
      at += btf_ext_section_header;
      LastStrings lasts;
      for (const Record& record : records) {
        write(at, record, lasts);
        at += record_size_;
      }
    }
  }

 private:
  /// Loaders want one record for each instruction. If there are more, the last one is about the
  /// instruction; the others are about code without bytes.
  static void keep_last_of_each(std::vector<Record>& records) {
    auto kept = records.begin();
    for (auto record = records.begin(); record != records.end(); ++record) {
      if (kept != records.begin() && (kept - 1)->offset == record->offset) --kept;
      *kept++ = *record;
    }
    records.erase(kept, records.end());
  }

  /// Reserves room for all records, including those that are dropped later.
  void make_room() {
    std::vector<size_t> counts(by_section_.size());
    for (auto& object : context_.objects) {
      if (!object->btf_ext) continue;
      for (const BtfExtSection& part : ((*object->btf_ext).*kind_.table).sections)
        if (const OutputSection* output = object->sections[part.section].output)
          counts[output->index] += part.count;
    }
    for (size_t i = 0; i < counts.size(); ++i) by_section_[i].reserve(counts[i]);
  }

  void collect(const ObjectFile& object) {
    if (!object.btf_ext) return;
    const BtfExtTable& table = (*object.btf_ext).*kind_.table;
    table.for_each_record([&](uint32_t section, std::span<const std::byte> bytes) {
      uint32_t insn_off = load<uint32_t>(bytes.data(), context_.byte_order);
      auto place = place_of(object.sections[section], insn_off);
      if (!place) return;
      record_size_ = std::max(record_size_, table.record_size);
      by_section_[place->section->index].push_back({place->offset, bytes.data(), &object});
    });
  }

  struct LastString {
    const ObjectFile* object = nullptr;
    uint32_t offset = 0;
    uint32_t output = 0;
  };
  using LastStrings = std::array<LastString, 4>;  ///< by word

  /// Writes a record over zeros.
  void write(std::byte* at, const Record& record, LastStrings& lasts) const {
    if (!record.object) return write_made(at, record);
    const ObjectFile& object = *record.object;
    std::memcpy(at, record.bytes, ((*object.btf_ext).*kind_.table).record_size);
    store<uint32_t>(at, static_cast<uint32_t>(record.offset), context_.byte_order);
    map_record(
        kind_, record.bytes, at, context_.byte_order,
        [&](uint32_t id) { return object.type_map[id]; },
        [&](uint32_t word, uint32_t offset) { return string(object, offset, lasts[word]); });
  }

  void write_made(std::byte* at, const Record& record) const {
    const MadeRecord& made = record.made;
    uint32_t second_word = made.source.empty() ? made.func : context_.btf->add_string(made.source);
    store<uint32_t>(at, static_cast<uint32_t>(record.offset), context_.byte_order);
    store<uint32_t>(at + 4, second_word, context_.byte_order);
  }

  /// The output offset of a string in an object's record. `last` is the same field of the previous
  /// record, which most often holds the same string.
  uint32_t string(const ObjectFile& object, uint32_t offset, LastString& last) const {
    if (last.object != &object || last.offset != offset)
      last = {&object, offset, context_.btf->add_string(object.btf->string(offset))};
    return last.output;
  }

  Context& context_;
  const BtfExtTableKind& kind_;
  uint32_t record_size_ = 0;
  std::vector<std::vector<Record>> by_section_;
};

/// The source file of an object according to its symbols, or else the object's name.
std::string_view source_of(const ObjectFile& object) {
  auto file = std::ranges::find(object.symbols, STT_FILE, &InputSymbol::type);
  return file != object.symbols.end() ? file->name : object.name;
}

void add_made(const Context& context, TableWriter& func_info, TableWriter& line_info) {
  InsnSet described = line_info.places();
  const ObjectFile* object = nullptr;
  std::string_view source;
  for (const OutputFunction& function : context.functions) {
    if (function.synthesized_func != 0)
      func_info.add(function.place, {.func = function.synthesized_func});
    if (!line_info.has_records() || described.contains(function.place)) continue;
    if (function.object != object && !context.options.strip_line_info)
      source = source_of(*function.object);
    object = function.object;
    line_info.add(function.place, {.source = source});
  }
}

}  // namespace

void rebase_btf_ext(Context& context) {
  TableWriter func_info(context, func_info_kind), line_info(context, line_info_kind),
      core_relo(context, core_relo_kind);
  func_info.collect();
  if (context.options.strip_line_info)
    line_info.leave_out();
  else
    line_info.collect();
  core_relo.collect();
  add_made(context, func_info, line_info);
  for (TableWriter* table : {&func_info, &line_info, &core_relo}) table->sort();
  size_t size = func_info.size() + line_info.size() + core_relo.size();
  if (size == 0) return;

  std::vector<std::byte>& out = context.output_btf_ext;
  out.resize(btf_ext_header_size + size);
  auto put = [&](size_t at, size_t word) {
    store<uint32_t>(&out[at], static_cast<uint32_t>(word), context.byte_order);
  };
  store<uint16_t>(out.data(), btf_magic, context.byte_order);
  out[2] = std::byte{btf_version};
  put(4, btf_ext_header_size);
  size_t at = btf_ext_header_size;
  for (const TableWriter* table : {&func_info, &line_info, &core_relo}) {
    put(table->kind().header_field, at - btf_ext_header_size);
    put(table->kind().header_field + 4, table->size());
    table->write(out.data() + at);
    at += table->size();
  }
}

}  // namespace bpflink
