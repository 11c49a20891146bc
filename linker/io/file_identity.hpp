// The identity of a file, independent of its names.
#pragma once

#include <sys/stat.h>

#include <string>

namespace bpflink {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;        ///< for a new file, its directory's
  std::string name = {};  ///< for a new file, its name in that directory

  explicit FileIdentity(const struct stat& info, std::string new_name = {})
      : device(info.st_dev), inode(info.st_ino), name(std::move(new_name)) {}
  bool operator==(const FileIdentity&) const = default;
};

/// A file by the name that the user gave it.
struct NamedFile {
  std::string name;
  FileIdentity identity;
};

}  // namespace bpflink
