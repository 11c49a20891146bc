#include "linker/programs/bpfcore/archive.hpp"

#include <cstring>

#include "bpflink/core_archive.h"
#include "dedup/internal.hpp"
#include "linker/object/bytes.hpp"

namespace bpflink {

std::vector<std::byte> make_archive(const std::vector<ArchiveEntry>& entries,
                                    const std::vector<std::vector<std::byte>>& blobs) {
  std::string strings(1, '\0');
  auto add_string = [&](const std::string& text) {
    if (text.empty()) return uint32_t{0};
    auto offset = static_cast<uint32_t>(strings.size());
    strings += text;
    strings += '\0';
    return offset;
  };
  std::vector<bpfcore_archive_entry> table;
  for (const ArchiveEntry& entry : entries) {
    bpfcore_archive_entry row{};
    row.program = add_string(entry.program);
    row.release = add_string(entry.kernel.release);
    row.architecture = add_string(entry.kernel.arch);
    row.build_id = add_string(entry.kernel.build_id);
    table.push_back(row);
  }
  uint64_t table_size = table.size() * sizeof(bpfcore_archive_entry);
  std::vector<uint64_t> places;
  uint64_t at = align_up(sizeof(bpfcore_archive_header) + table_size + strings.size(), 8);
  for (const auto& blob : blobs) {
    places.push_back(at);
    at = align_up(at + blob.size(), 8);
  }
  std::vector<std::byte> archive(at);
  auto put = [&](uint64_t offset, auto value) {
    store(&archive[offset], value, std::endian::little);
  };
  std::memcpy(archive.data(), BPFCORE_ARCHIVE_MAGIC, sizeof bpfcore_archive_header::magic);
  put(offsetof(bpfcore_archive_header, entries), static_cast<uint32_t>(table.size()));
  put(offsetof(bpfcore_archive_header, strings_size), static_cast<uint32_t>(strings.size()));
  for (size_t i = 0; i < table.size(); ++i) {
    uint64_t row = sizeof(bpfcore_archive_header) + i * sizeof(bpfcore_archive_entry);
    put(row + offsetof(bpfcore_archive_entry, program), table[i].program);
    put(row + offsetof(bpfcore_archive_entry, release), table[i].release);
    put(row + offsetof(bpfcore_archive_entry, architecture), table[i].architecture);
    put(row + offsetof(bpfcore_archive_entry, build_id), table[i].build_id);
    put(row + offsetof(bpfcore_archive_entry, offset), places[entries[i].blob]);
    put(row + offsetof(bpfcore_archive_entry, size),
        static_cast<uint64_t>(blobs[entries[i].blob].size()));
  }
  std::memcpy(&archive[sizeof(bpfcore_archive_header) + table_size], strings.data(),
              strings.size());
  for (size_t i = 0; i < blobs.size(); ++i)
    std::memcpy(&archive[places[i]], blobs[i].data(), blobs[i].size());
  return archive;
}

}  // namespace bpflink
