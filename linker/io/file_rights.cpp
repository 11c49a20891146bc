// The mode of a file with an access control list shows the list's mask as the rights of the group:
// they must not become those of a group.
#include "linker/io/file_rights.hpp"

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "dedup/try.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

constexpr const char* access_list = "system.posix_acl_access";
constexpr const char* selinux_label = "security.selinux";

/// Whether errno says that the file has no such attribute.
bool is_absent() {
  return errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS;
}

/// Calls `read(buffer, size)`, which returns the attribute's size. Returns it empty if there is
/// none.
template <typename Read>
std::expected<std::vector<std::byte>, Error> read_attribute(Read read) {
  std::array<std::byte, 256> usual;
  ssize_t size = read(usual.data(), usual.size());
  if (size >= 0) return std::vector(usual.begin(), usual.begin() + size);
  if (errno == ERANGE) {
    std::vector<std::byte> large(1 << 16);  // no attribute is larger
    size = read(large.data(), large.size());
    large.resize(size < 0 ? 0 : static_cast<size_t>(size));
    if (size >= 0) return large;
  }
  if (is_absent()) return {};
  return system_error("cannot open output file");
}

std::expected<std::vector<std::byte>, Error> read_attribute(const std::string& path,
                                                            const char* name) {
  return read_attribute(
      [&](void* buffer, size_t size) { return ::getxattr(path.c_str(), name, buffer, size); });
}

struct ListEntry {
  unsigned tag, rights;  ///< ACL_USER or the like; rwx
  uid_t id;              ///< of a named user or group
};

std::vector<ListEntry> entries_of(const std::vector<std::byte>& list) {
  auto number = [&](size_t at, unsigned size) {
    uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::to_integer<uint32_t>(list[at + i]) << 8 * i;
    return value;
  };
  std::vector<ListEntry> entries;
  for (size_t at = sizeof(posix_acl_xattr_header);
       at + sizeof(posix_acl_xattr_entry) <= list.size(); at += sizeof(posix_acl_xattr_entry))
    entries.push_back({number(at + offsetof(posix_acl_xattr_entry, e_tag), 2),
                       number(at + offsetof(posix_acl_xattr_entry, e_perm), 2),
                       number(at + offsetof(posix_acl_xattr_entry, e_id), 4)});
  return entries;
}

/// The rights (rwx) that all entries have in common, but for the owner's.
mode_t common_rights(const std::vector<std::byte>& list) {
  mode_t common = 7;
  for (const ListEntry& entry : entries_of(list))
    if (entry.tag != ACL_USER_OBJ) common &= entry.rights;
  return common;
}

/// Removes the list that the directory gives its new files.
std::expected<void, Error> remove_list(int fd) {
  if (::fremovexattr(fd, access_list) != 0 && !is_absent())
    return system_error("cannot open output file");
  return {};
}

/// A label that the policy does not let the process set is the policy's affair.
void copy_label(int fd, const std::string& path) {
  auto label = read_attribute(path, selinux_label);
  if (!label || label->empty()) return;
  auto own = read_attribute(
      [&](void* buffer, size_t size) { return ::fgetxattr(fd, selinux_label, buffer, size); });
  if (own && *own == *label) return;
  (void)::fsetxattr(fd, selinux_label, label->data(), label->size(), 0);
}

/// Users whose files this process trusts: root, its own user, and one more.
bool is_trusted(uid_t user, uid_t owner) {
  return user == 0 || user == ::geteuid() || user == owner;
}

/// Whether others may write to a file, or add to a directory. Those of a group may that has the
/// number of the file's owner: this is the owner's own.
bool is_open_to_others(const std::string& path, const struct stat& info, uid_t owner) {
  bool is_shared = (info.st_mode & S_IWGRP) != 0 && info.st_gid != info.st_uid;
  if (is_shared || (info.st_mode & S_IWOTH) != 0) return true;
  auto list = read_attribute(path, access_list);
  if (!list) return true;
  const std::vector<ListEntry> entries = entries_of(*list);
  unsigned mask = 7;  // limits all named entries
  for (const ListEntry& entry : entries)
    if (entry.tag == ACL_MASK) mask = entry.rights;
  return std::ranges::any_of(entries, [&](const ListEntry& entry) {
    bool is_of_others =
        entry.tag == ACL_GROUP || (entry.tag == ACL_USER && !is_trusted(entry.id, owner));
    return is_of_others && (entry.rights & mask & ACL_WRITE) != 0;
  });
}

}  // namespace

std::expected<void, Error> copy_rights(int fd, const std::string& path,
                                       const struct stat& replaced) {
  auto list = TRY(read_attribute(path, access_list));
  copy_label(fd, path);
  constexpr auto same_owner = static_cast<uid_t>(-1);
  bool has_group = ::fchown(fd, replaced.st_uid, replaced.st_gid) == 0 ||
                   ::fchown(fd, same_owner, replaced.st_gid) == 0;
  bool has_list =
      has_group && !list.empty() && ::fsetxattr(fd, access_list, list.data(), list.size(), 0) == 0;
  mode_t mode = replaced.st_mode & 0777, common = 7;
  if (!has_list) {
    TRY(remove_list(fd));
    common = common_rights(list);
  }
  if (!has_group) common &= mode & mode >> 3;
  if (::fchmod(fd, mode & (0700 | common << 3 | common)) != 0)
    return system_error("cannot open output file");
  return {};
}

std::string find_open_to_others(const std::string& path, uid_t owner) {
  namespace fs = std::filesystem;
  constexpr int max_links = 40;
  std::error_code error;
  std::vector<fs::path> rest;  // components, the next one last
  auto follow = [&](const fs::path& target) {
    for (auto next = target.end(); next != target.begin();) rest.push_back(*--next);
  };
  follow(fs::absolute(path, error));
  if (error) return path;
  fs::path at = "/";
  bool is_shared = false;  // whether others may write to `at`
  for (int links = 0;;) {
    struct stat info;
    if (::lstat(at.c_str(), &info) != 0 || !is_trusted(info.st_uid, owner)) return at.string();
    if (S_ISLNK(info.st_mode)) {
      const fs::path target = fs::read_symlink(at, error);
      if (is_shared || error || ++links > max_links) return at.string();
      follow(target);
      at = at.parent_path();
    } else if (bool is_directory = S_ISDIR(info.st_mode); is_shared && !is_directory) {
      return at.string();
    } else {
      is_shared = is_open_to_others(at.string(), info, owner);
      bool is_sticky = is_directory && (info.st_mode & S_ISVTX) != 0;
      if (is_shared && (rest.empty() || !is_sticky)) return at.string();
      if (rest.empty()) return {};
    }
    const fs::path next = rest.back();
    rest.pop_back();
    if (next == "..")
      at = at.parent_path();
    else if (!next.empty() && next != ".")
      at /= next;
  }
}

}  // namespace bpflink
