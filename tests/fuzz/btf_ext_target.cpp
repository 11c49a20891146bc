// The .BTF.ext reader, with the .BTF that it refers to. Every section exists and has 4 KiB.
#include "linker/files/btf_ext.hpp"
#include "tests/fuzz/pair.hpp"
#include "tests/fuzz/target.hpp"

namespace bpflink::fuzz {
namespace {

constexpr uint64_t SECTION_SIZE = 4096;

void read_records(const BtfExt& ext, const Btf& btf) {
  for (const BtfExtTable* table : {&ext.func_info, &ext.line_info, &ext.core_relo})
    for (const BtfExtSection& part : table->sections) {
      require(part.records.size() == size_t{part.count} * table->record_size,
              "the records are all there");
      for (uint32_t i = 0; i < part.count; i++)
        require(ext.load_func_info(&part.records[size_t{i} * table->record_size]).insn_off <
                    SECTION_SIZE,
                "instructions are inside their section");
    }
  for (const BtfExtSection& part : ext.func_info.sections)
    for (uint32_t i = 0; i < part.count; i++) {
      auto info = ext.load_func_info(&part.records[size_t{i} * ext.func_info.record_size]);
      require(btf.type(info.type_id).kind() == BtfKind::Func, "func_info has a FUNC");
    }
  for (uint64_t offset = 0; offset < SECTION_SIZE; offset += 512)
    if (auto line = ext.find_line(1, offset)) btf.string(line->file_name_off);
}

}  // namespace
}  // namespace bpflink::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto pair = fuzz::Pair::read({data, size});
  auto btf = Btf::parse(std::as_bytes(pair.first));
  if (!btf) return 0;
  const std::vector<std::byte> code(fuzz::SECTION_SIZE, std::byte{0x95});
  auto find_section = [&](std::string_view name) -> std::optional<CodeSection> {
    if (name.empty()) return std::nullopt;
    return CodeSection{static_cast<uint32_t>(name.size()), code};
  };
  auto may_begin_function = [](uint32_t, uint64_t offset) { return offset % 16 == 0; };
  auto ext = BtfExt::parse(std::as_bytes(pair.second),
                           {*btf, btf->byte_order(), find_section, may_begin_function});
  if (ext)
    fuzz::read_records(*ext, *btf);
  else
    fuzz::require(!ext.error().message.empty(), "an error says what is wrong");
  return 0;
}
