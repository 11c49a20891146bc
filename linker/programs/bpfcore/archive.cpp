#include "linker/programs/bpfcore/archive.hpp"

#include "bpflink/core_archive.h"
#include "dedup/for_linker.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {

std::vector<std::byte> make_archive(const std::vector<ArchiveEntry>& entries,
                                    const std::vector<std::vector<std::byte>>& blobs) {
  std::vector<std::byte> archive;
  auto put = [&](auto value) {
    archive.resize(archive.size() + sizeof value);
    store(&archive[archive.size() - sizeof value], value, std::endian::little);
  };
  auto put_bytes = [&](std::span<const std::byte> bytes) {
    archive.insert(archive.end(), bytes.begin(), bytes.end());
  };
  std::string strings(1, '\0');
  std::vector<uint32_t> offsets;  // four for each entry
  for (const ArchiveEntry& entry : entries)
    for (const std::string& text :
         {entry.program, entry.kernel.release, entry.kernel.arch, entry.kernel.build_id}) {
      offsets.push_back(text.empty() ? 0 : static_cast<uint32_t>(strings.size()));
      if (!text.empty()) strings.append(text) += '\0';
    }
  uint64_t begin = align_up(sizeof(bpfcore_archive_header) +
                                entries.size() * sizeof(bpfcore_archive_entry) + strings.size(),
                            8);
  std::vector<uint64_t> places;
  for (uint64_t at = begin; const auto& blob : blobs) {
    places.push_back(at);
    at = align_up(at + blob.size(), 8);
  }
  put_bytes(std::as_bytes(
      std::span(BPFCORE_ARCHIVE_MAGIC).first<sizeof bpfcore_archive_header::magic>()));
  put(static_cast<uint32_t>(entries.size()));
  put(static_cast<uint32_t>(strings.size()));
  for (size_t i = 0; i < entries.size(); ++i) {
    for (uint32_t offset : std::span(offsets).subspan(4 * i, 4)) put(offset);
    put(places[entries[i].blob]);
    put(uint64_t{blobs[entries[i].blob].size()});
  }
  put_bytes(std::as_bytes(std::span(strings)));
  for (const auto& blob : blobs) {
    archive.resize(align_up(archive.size(), 8));
    put_bytes(blob);
  }
  archive.resize(align_up(archive.size(), 8));
  return archive;
}

}  // namespace bpflink
