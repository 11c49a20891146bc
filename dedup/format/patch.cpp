#include "dedup/format/patch.hpp"

#include "dedup/format/header.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

namespace {

/// The header of a blob that was read before.
BtfHeader header_of(std::span<const std::byte> blob) {
  return read_header(blob).value();
}

}  // namespace

std::vector<uint64_t> type_offsets(std::span<const std::byte> blob, const Btf& btf) {
  uint64_t begin = header_of(blob).types_offset;
  std::vector<uint64_t> offsets(btf.first_id());
  for (uint32_t start : btf.starts()) offsets.push_back(begin + uint64_t{4} * start);
  return offsets;
}

std::vector<std::byte> rename_types(std::span<const std::byte> blob, const Btf& btf,
                                    const std::unordered_map<uint32_t, std::string>& names) {
  const BtfView& types = btf;
  BtfHeader header = header_of(blob);
  std::string strings(types.strings());
  std::vector<std::byte> renamed(blob.begin(), blob.end());
  std::unordered_map<std::string_view, uint32_t> offsets;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    auto name = names.find(id);
    if (name == names.end()) continue;
    auto [offset, is_new] =
        offsets.try_emplace(name->second, static_cast<uint32_t>(strings.size()));
    if (is_new) strings.append(name->second).push_back('\0');
    size_t start = types.starts()[id - types.first_id()];
    write_words(&renamed[header.types_offset + 4 * start], {&offset->second, 1}, header.order);
  }
  header.strings_offset = renamed.size();
  header.strings_size = strings.size();
  write_header(header, renamed);
  auto bytes = std::as_bytes(std::span(strings));
  renamed.insert(renamed.end(), bytes.begin(), bytes.end());
  return renamed;
}

std::vector<std::byte> repair_btf(std::span<const std::byte> blob, const Btf& btf) {
  const BtfView& types = btf;
  const BtfHeader header = header_of(blob);
  std::vector<std::byte> repaired(blob.begin(), blob.end());
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    if (!needs_repair(type)) continue;
    uint32_t data = kernel_int_data(type.int_data());
    size_t at = types.starts()[id - types.first_id()] + common_words;
    write_words(&repaired[header.types_offset + 4 * at], {&data, 1}, header.order);
  }
  return repaired;
}

}  // namespace bpflink
