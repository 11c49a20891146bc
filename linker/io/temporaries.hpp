// The temporary names of outputs, and who removes them: the program, a signal, or the next run.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>

namespace bpflink {

/// A file or an empty directory that is removed with this object. A process that SIGKILL ends
/// leaves it.
class Temporary {
 public:
  Temporary() = default;
  explicit Temporary(std::string path);
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&& other) noexcept;
  ~Temporary() { remove(); }

  bool empty() const { return path_.empty(); }
  const std::string& path() const { return path_; }
  void remove();
  /// Lets it stay. This object is empty then.
  void keep();

 private:
  struct Listed;
  friend void remove_temporaries();
  static std::atomic<Listed*> latest;

  std::string path_;
  Listed* listed_ = nullptr;
};

/// From now on temporaries are listed, for remove_temporaries().
void list_temporaries();

/// Removes those that are listed and exist, the newest first. Async-signal-safe.
void remove_temporaries();

/// Makes a file beside the output `path`. `create` makes it under the name that it gets, or sets
/// errno; EEXIST asks for another name. The names are `.OUTPUT.bpflink-N.tmp` for small N, so that
/// the next run for this output finds what a killed process left. It removes what is no longer
/// locked, if it belongs to the user or to `owner`. Returns nothing and errno if there is no file.
std::optional<Temporary> create_temporary(const std::string& path, std::optional<uid_t> owner,
                                          const std::function<bool(const std::string&)>& create);

/// Locks the open file, as all are that have a temporary name, until `fd` and its copies are
/// closed. Returns false if another process has taken it for a leftover. Where there are no locks,
/// none is needed: nothing is removed there.
bool lock_temporary(int fd);

}  // namespace bpflink
