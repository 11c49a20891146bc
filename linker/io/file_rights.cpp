// The mode of a file with an access control list shows the list's mask as the rights of the group:
// they must not become those of a group.
#include "linker/io/file_rights.hpp"

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

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

/// The rights (rwx) that all entries have in common, but for the owner's.
mode_t common_rights(const std::vector<std::byte>& list) {
  auto word = [&](size_t at) {
    return std::to_integer<unsigned>(list[at]) | std::to_integer<unsigned>(list[at + 1]) << 8;
  };
  mode_t common = 7;
  for (size_t at = sizeof(posix_acl_xattr_header);
       at + sizeof(posix_acl_xattr_entry) <= list.size(); at += sizeof(posix_acl_xattr_entry))
    if (word(at + offsetof(posix_acl_xattr_entry, e_tag)) != ACL_USER_OBJ)
      common &= word(at + offsetof(posix_acl_xattr_entry, e_perm));
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

/// Whether others may change a file or directory, or add a file to it. Those of a group may that
/// has the number of the owner: this is the owner's own.
bool is_open_to_others(const struct stat& info, uid_t owner) {
  bool is_ours = info.st_uid == 0 || info.st_uid == ::geteuid() || info.st_uid == owner;
  bool is_shared = (info.st_mode & S_IWGRP) != 0 && info.st_gid != info.st_uid;
  return !is_ours || is_shared || (info.st_mode & S_IWOTH) != 0;
}

}  // namespace

std::expected<void, Error> copy_rights(int fd, const std::string& path,
                                       const struct stat& replaced) {
  auto list = read_attribute(path, access_list);
  if (!list) return std::unexpected(list.error());
  copy_label(fd, path);
  constexpr auto same_owner = static_cast<uid_t>(-1);
  bool has_group = ::fchown(fd, replaced.st_uid, replaced.st_gid) == 0 ||
                   ::fchown(fd, same_owner, replaced.st_gid) == 0;
  bool has_list = has_group && !list->empty() &&
                  ::fsetxattr(fd, access_list, list->data(), list->size(), 0) == 0;
  mode_t mode = replaced.st_mode & 0777, common = 7;
  if (!has_list) {
    if (auto ok = remove_list(fd); !ok) return ok;
    common = common_rights(*list);
  }
  if (!has_group) common &= mode & mode >> 3;
  if (::fchmod(fd, mode & (0700 | common << 3 | common)) != 0)
    return system_error("cannot open output file");
  return {};
}

std::string find_open_to_others(const std::string& file, uid_t owner) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(file).parent_path();
  for (fs::path at = file;; at = at.parent_path()) {
    struct stat info;
    if (::stat(at.c_str(), &info) != 0) return at.string();
    bool holds_directories = at != file && at != directory;
    if (holds_directories && (info.st_mode & S_ISVTX) != 0) info.st_mode &= ~mode_t{0022};
    if (is_open_to_others(info, owner)) return at.string();
    if (at == at.parent_path()) return {};
  }
}

}  // namespace bpflink
