// The class for C++, on top of the C header.
#include "linker/skeleton/emit.hpp"
#include "linker/skeleton/text.hpp"

namespace bpflink {

namespace {

constexpr std::string_view class_text = R"(
#if defined(__cplusplus) && !defined($guard_CLASS)
#define $guard_CLASS

#include <utility>

/* Owns an opened object, which is closed with the owner: programs detached, maps
 * and programs released. Empty if opening failed; errno has the reason. Members
 * are accessed with `->`, as in `skel->rodata->limit`. */
class $name_skel {
public:
	$name_skel() = default;
	explicit $name_skel($type *obj) : obj_(obj) {}
	$name_skel($name_skel &&other) noexcept : obj_(other.release()) {}
	$name_skel &operator=($name_skel &&other) noexcept
	{
		std::swap(obj_, other.obj_);
		return *this;
	}
	$name_skel(const $name_skel &) = delete;
	$name_skel &operator=(const $name_skel &) = delete;
	~$name_skel() { $name__destroy(obj_); }

	static $name_skel open(const bpf_object_open_opts *opts = nullptr)
	{
		return $name_skel($name__open_opts(opts));
	}
	static $name_skel open_and_load() { return $name_skel($name__open_and_load()); }

	/* 0, or a negative errno. */
	int load() { return $name__load(obj_); }
	int attach() { return $name__attach(obj_); }
	void detach() { $name__detach(obj_); }

	explicit operator bool() const { return obj_ != nullptr; }
	$type *operator->() const { return obj_; }
	$type &operator*() const { return *obj_; }
	$type *get() const { return obj_; }
	/* Gives the object to the caller, who destroys it with $name__destroy(). */
	$type *release()
	{
		$type *obj = obj_;
		obj_ = nullptr;
		return obj;
	}

private:
	$type *obj_ = nullptr;
};

#endif
)";

}  // namespace

std::string emit_cpp(const Skeleton& skeleton) {
  std::string guard = "BPFSKEL_" + skeleton.name;
  std::string type = "struct " + spell_for_cpp(skeleton.name, guard + "_NAME");
  return fill_in(class_text, {{"name", skeleton.name}, {"type", type}, {"guard", guard}});
}

}  // namespace bpflink
