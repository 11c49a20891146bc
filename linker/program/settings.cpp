#include "linker/program/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bpflink {
namespace {

bool has_relocation(const InputSection& section, uint64_t offset, uint32_t size) {
  uint64_t from = offset < insn_size ? 0 : offset - insn_size + 1;
  auto relocation = section.first_relocation(from);
  return relocation != section.relocations.end() && relocation->offset < offset + size;
}

uint64_t load_bytes(const std::byte* from, uint32_t size, std::endian order) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < size; ++i)
    value = value << 8 |
            std::to_integer<uint64_t>(from[order == std::endian::little ? size - 1 - i : i]);
  return value;
}

}  // namespace

uint64_t part_of(uint64_t value, uint64_t whole, uint64_t offset, uint32_t size,
                 std::endian order) {
  uint64_t skipped = order == std::endian::little ? offset : whole - offset - size;
  return truncate(value >> skipped * 8, size);
}

Value loaded(uint64_t bits, uint32_t size, bool is_signed, SettingSet settings) {
  return Value::constant(is_signed ? sign_extend(bits, size) : bits, settings);
}

std::optional<Value> Settings::load(uint32_t section, uint64_t offset, uint32_t size,
                                    bool is_signed, SettingSet assumed) {
  const InputSection& data = graph_.object.sections[section];
  if (offset > data.data.size() || size > data.data.size() - offset) return std::nullopt;
  if (has_relocation(data, offset, size)) return std::nullopt;
  const CodeVariable* variable = graph_.find_variable(section, offset);
  if (graph_.find_variable(section, offset + size - 1) != variable) return std::nullopt;
  uint64_t value = load_bytes(&data.data[offset], size, graph_.object.byte_order);
  if (!variable) return loaded(value, size, is_signed);
  if (auto given = facts_.settings.find(std::string(variable->name));
      given != facts_.settings.end()) {
    uint64_t whole = variable->end - variable->begin, within = offset - variable->begin;
    if (whole > 8 || within + size > whole) return std::nullopt;
    uint64_t part = part_of(given->second, whole, within, size, graph_.object.byte_order);
    return loaded(part, size, is_signed);
  }
  if (facts_.strict) return std::nullopt;
  SettingSet bit = bit_of(section, offset, size, *variable, value);
  if ((assumed & bit) == 0) return std::nullopt;
  return loaded(value, size, is_signed, bit);
}

SettingSet Settings::bit_of(uint32_t section, uint64_t offset, uint32_t size,
                            const CodeVariable& variable, uint64_t value) {
  // Sections are smaller than 2^32 bytes, sizes at most 8.
  uint64_t key = uint64_t{section} << 36 ^ offset << 4 ^ size;
  if (settings_.size() == max_settings && !index_.contains(key)) return 0;
  auto [found, is_new] = index_.try_emplace(key, settings_.size());
  if (is_new)
    settings_.push_back({offset == variable.begin
                             ? std::string(variable.name)
                             : fmt::format("{}+{}", variable.name, offset - variable.begin),
                         value});
  SettingSet bit = SettingSet{1} << std::min(found->second, last_bit);
  all_ |= bit;
  return bit;
}

std::vector<CoreAssumption> Settings::describe(SettingSet settings) const {
  std::vector<CoreAssumption> result;
  for (size_t i = 0; i < settings_.size(); ++i)
    if ((settings >> std::min(i, last_bit) & 1) != 0) result.push_back(settings_[i]);
  return result;
}

}  // namespace bpflink
