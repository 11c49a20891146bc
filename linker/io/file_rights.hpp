// Who may use a file: owner, group, mode, access control list, SELinux label.
#pragma once

#include <sys/stat.h>

#include <expected>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

/// Gives the new file `fd` the owner, the group, the rights and the label of the file at `path`,
/// whose status is `replaced`, but no set-id bits: these are not for other contents. A process that
/// may not change the owner keeps its own, and may still change the group. Where a file cannot get
/// the group or the access control list, nobody gets a right that one of its entries denies.
/// Errors: the rights cannot be read or set.
std::expected<void, Error> copy_rights(int fd, const std::string& path,
                                       const struct stat& replaced);

/// Whether another user than root, this one and `owner` can change what a path means: the first
/// file, directory or symbolic link on the way that such a user owns or may write to, by its mode
/// or its access control list, or that cannot be looked at; "" if there is none. In a sticky
/// directory, /tmp, nobody can replace a directory of ours; a file or a link of ours may be there
/// because another user made a hard link to it.
std::string find_open_to_others(const std::string& path, uid_t owner);

}  // namespace bpflink
