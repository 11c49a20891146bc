// Pass: .BTF.ext of the output.
//
// The records of all inputs, grouped by output section and sorted by
// instruction; what described dropped code is gone. The fields that this linker
// knows are moved and mapped; a record that is longer is kept whole, and where
// inputs have records of different lengths the longest serves all, the rest
// being filled with zeros.
//
// A loader that has func_info for a program wants it for every function that the
// program calls, and line_info likewise. Functions that have none (from bpf-gcc,
// from assembly, from objects without BTF) get a record made up from their
// symbol.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "linker/context.hpp"

namespace bpflink {
namespace {

/// A record with its fields as they are in the output, but for the offset.
struct Record {
  uint64_t offset;  ///< of the instruction, in the output section
  const std::byte* bytes;
  const ObjectFile* object;  ///< whose it is, and whose ids it has; null: it was made
};

/// A function of the output.
struct Function {
  OutputPlace place;
  const ObjectFile* object;
  const InputSymbol* symbol;
};

std::vector<Function> find_functions(const Context& context) {
  std::vector<Function> functions;
  for (auto& object : context.objects)
    for (uint32_t i = 1; i < object->symbols.size(); ++i) {
      const InputSymbol& symbol = object->symbols[i];
      if (symbol.type != STT_FUNC || symbol.place != InputSymbol::Place::Section) continue;
      bool is_there =
          symbol.output_index != 0 || (symbol.global && symbol.global->is_from(*object, i));
      if (!is_there || !object->sections[symbol.section].is_code()) continue;
      if (auto place = place_of(object->sections[symbol.section], symbol.value))
        functions.push_back({*place, object.get(), &symbol});
    }
  return functions;
}

/// Makes the records of functions that have none.
class RecordMaker {
 public:
  explicit RecordMaker(BtfBuilder& types) : types_(types), function_types_(types) {}

  /// The words of a record and the source file that it names.
  template <size_t count>
  using Made = std::pair<std::array<uint32_t, count>, std::string_view>;

  Made<2> func_info(const Function& function) { return {{0, func_of(function)}, ""}; }

  Made<4> line_info(const Function& function) {
    enter(*function.object);
    return {{0, 0, 0, 0}, source_};
  }

 private:
  uint32_t func_of(const Function& function) {
    const InputSymbol& symbol = *function.symbol;
    if (symbol.global && symbol.output_index == 0 && symbol.global->output_btf_id != 0)
      return symbol.global->output_btf_id;
    enter(*function.object);
    if (auto it = static_functions_.find(symbol.name); it != static_functions_.end())
      return it->second;
    if (prototype_ == 0)
      prototype_ = function_types_.add(0, BtfBuilder::info(BtfKind::FuncProto), 0);
    return function_types_.add(types_.add_string(symbol.name),
                               BtfBuilder::info(BtfKind::Func, BtfLinkage::Static), prototype_);
  }

  /// Looks once at an object for all of its functions, which come one after another.
  void enter(const ObjectFile& object) {
    if (&object == object_) return;
    object_ = &object;
    auto file = std::ranges::find(object.symbols, STT_FILE, &InputSymbol::type);
    source_ = file != object.symbols.end() ? file->name : object.name;
    static_functions_.clear();
    for (const BtfDeclaration& declaration : object.declarations) {
      uint32_t id = object.type_map[declaration.type_id];
      if (declaration.is_func() && id != 0 && !declaration.symbol)
        static_functions_.emplace(object.btf->name(declaration.type()), id);
    }
  }

  BtfBuilder& types_;
  FunctionTypes function_types_;
  const ObjectFile* object_ = nullptr;
  std::string_view source_;
  std::unordered_map<std::string_view, uint32_t> static_functions_;  ///< that no symbol stands for
  uint32_t prototype_ = 0;  ///< void (void), for what nothing is known about
};

class TableWriter {
 public:
  TableWriter(Context& context, const BtfExtTableKind& kind) : context_(context), kind_(kind) {
    by_section_.resize(context_.sections.size() + 1);
    make_room();
    for (auto& object : context_.objects) collect(*object);
  }

  const BtfExtTableKind& kind() const { return kind_; }
  bool has_records() const { return record_size_ != 0; }

  /// Adds what `make` returns for each function at whose start there is nothing.
  template <typename Make>
  void complete(const std::vector<Function>& functions, Make make) {
    std::vector<std::vector<bool>> is_there(by_section_.size());  // by instruction
    for (const auto& section : context_.sections) {
      if (by_section_[section->index].empty()) continue;
      is_there[section->index].resize(section->size / insn_size + 1);
      for (const Record& record : by_section_[section->index])
        is_there[section->index][record.offset / insn_size] = true;
    }
    for (const Function& function : functions) {
      const std::vector<bool>& insns = is_there[function.place.section->index];
      if (!insns.empty() && insns[function.place.offset / insn_size]) continue;
      auto [words, source] = make(function);
      std::byte* bytes = made_.emplace_back().data();
      for (size_t i = 0; i < words.size(); ++i)
        store<uint32_t>(bytes + 4 * i, words[i], context_.byte_order);
      if (!source.empty()) sources_.emplace(bytes, source);
      by_section_[function.place.section->index].push_back({function.place.offset, bytes, nullptr});
    }
  }

  /// To be called when all records are there.
  void sort() {
    for (auto& records : by_section_) {
      // Objects come one after another, and most have their records in order.
      if (!std::ranges::is_sorted(records, {}, &Record::offset))
        std::ranges::stable_sort(records, {}, &Record::offset);
      if (!kind_.may_repeat) keep_last_of_each(records);
    }
  }

  /// How many bytes the table takes; none where there are no records.
  size_t size() const {
    size_t size = 0;
    for (const auto& records : by_section_)
      if (!records.empty()) size += btf_ext_section_header + records.size() * record_size_;
    return size == 0 ? 0 : btf_ext_table_header + size;
  }

  /// Writes these bytes to zeros.
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
  /// Loaders want one record an instruction. Where there are more, the last is
  /// the instruction's and the others are of code without bytes.
  static void keep_last_of_each(std::vector<Record>& records) {
    auto kept = records.begin();
    for (auto record = records.begin(); record != records.end(); ++record) {
      if (kept != records.begin() && (kept - 1)->offset == record->offset) --kept;
      *kept++ = *record;
    }
    records.erase(kept, records.end());
  }

  /// For all records, of which some may be dropped.
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

  /// Writes a record to zeros.
  void write(std::byte* at, const Record& record, LastStrings& lasts) const {
    if (!record.object) return write_made(at, record);
    const ObjectFile& object = *record.object;
    std::memcpy(at, record.bytes, ((*object.btf_ext).*kind_.table).record_size);
    store<uint32_t>(at, static_cast<uint32_t>(record.offset), context_.byte_order);
    map_record(
        kind_, at, context_.byte_order, [&](uint32_t id) { return object.type_map[id]; },
        [&](uint32_t word, uint32_t offset) { return string(object, offset, lasts[word]); });
  }

  void write_made(std::byte* at, const Record& record) const {
    std::memcpy(at, record.bytes, kind_.least_record_size);
    store<uint32_t>(at, static_cast<uint32_t>(record.offset), context_.byte_order);
    constexpr size_t file_name_word = 1;  // of line_info
    if (auto source = sources_.find(record.bytes); source != sources_.end())
      store<uint32_t>(at + 4 * file_name_word, context_.btf->add_string(source->second),
                      context_.byte_order);
  }

  /// The output's offset of a string that an object's record has where the record before
  /// it had `last`: most have the same there.
  uint32_t string(const ObjectFile& object, uint32_t offset, LastString& last) const {
    if (last.object != &object || last.offset != offset)
      last = {&object, offset, context_.btf->add_string(object.btf->string(offset))};
    return last.output;
  }

  Context& context_;
  const BtfExtTableKind& kind_;
  uint32_t record_size_ = 0;
  std::vector<std::vector<Record>> by_section_;
  std::deque<std::array<std::byte, sizeof(LineInfo)>> made_;
  /// The source files that made records name. Their strings are added when the records are
  /// written, so that another link adds the strings in the same order.
  std::unordered_map<const std::byte*, std::string_view> sources_;
};

}  // namespace

/// Makes the FUNCs of functions that have no record. Before any variable is there, so that
/// another link, to which they are like any other, gives them the same ids.
void complete_functions(Context& context) {
  if (!context.btf) return;
  TableWriter func_info(context, func_info_kind);
  if (!func_info.has_records()) return;
  RecordMaker maker(*context.btf);
  func_info.complete(find_functions(context), [&](auto& function) {
    auto made = maker.func_info(function);
    context.made_functions.emplace(function.symbol, made.first[1]);
    return made;
  });
}

void rebase_btf_ext(Context& context) {
  if (!context.btf) return;
  TableWriter func_info(context, func_info_kind), line_info(context, line_info_kind),
      core_relo(context, core_relo_kind);
  std::vector<Function> functions = find_functions(context);
  RecordMaker maker(*context.btf);
  if (func_info.has_records())
    func_info.complete(functions, [&](auto& function) {
      return RecordMaker::Made<2>{{0, context.made_functions.at(function.symbol)}, ""};
    });
  if (line_info.has_records())
    line_info.complete(functions, [&](auto& f) { return maker.line_info(f); });
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
