// Calls of the C interface in any order, one for each few bytes of the input: with null, handles
// that were freed and made again, options that are refused, bases from elsewhere, damaged inputs.
// Each call keeps to what bpflink.h demands of callers: what must outlive a handle does.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpflink/bpflink.h"
#include "tests/fuzz/elf_image.hpp"
#include "tests/fuzz/target.hpp"

namespace bpflink::fuzz {
namespace {

/// What must live as long as a handle.
using Needs = std::vector<std::shared_ptr<const void>>;

/// A handle. Its object is freed when no slot and no other handle needs it.
template <class Handle>
struct Owned {
  std::shared_ptr<Handle> handle = {};
  std::shared_ptr<Needs> needs = {};

  Handle* get() const { return handle.get(); }
};

template <class Handle>
Owned<Handle> own(Handle* handle, void (*free)(Handle*), Needs needs) {
  auto kept = std::make_shared<Needs>(std::move(needs));
  return {
      std::shared_ptr<Handle>(handle, [=](Handle* freed) { free(freed), static_cast<void>(kept); }),
      kept};
}

Bytes read_fixture(const char* name) {
  std::ifstream file(std::string(FIXTURES) + '/' + name, std::ios::binary);
  require(file.is_open(), "the objects of tests/api are built");
  std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  return {bytes.begin(), bytes.end()};
}

/// What every input begins with: objects, their BTF, and nothing.
const std::vector<std::shared_ptr<const Bytes>>& fixtures() {
  static const auto all = [] {
    std::vector<std::shared_ptr<const Bytes>> read;
    for (const char* name :
         {"counters.o", "state.o", "packets.o", "tally.o", "task.o", "counters-be.o"}) {
      Bytes object = read_fixture(name);
      auto image = ElfImage::read(object);
      require(image && image->find(".BTF"), "the objects of tests/api have BTF");
      read.push_back(std::make_shared<const Bytes>(image->find(".BTF")->bytes));
      read.push_back(std::make_shared<const Bytes>(std::move(object)));
    }
    read.push_back(std::make_shared<const Bytes>());
    return read;
  }();
  return all;
}

/// The choices that the input makes; zeros behind its end.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool is_empty() const { return next_ >= bytes_.size(); }
  uint8_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : 0; }
  size_t below(size_t end) { return byte() % end; }
  bool one_in(size_t n) { return below(n) == n - 1; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t next_ = 0;
};

void read_text(const char* text) {
  require(text != nullptr, "a string is not null");
  volatile size_t length = std::strlen(text);
  static_cast<void>(length);
}

/// Reads a text that the library gives to its caller, and frees it.
void take(char* text) {
  if (text) read_text(text);
  bpflink_free(text);
}

class Session {
 public:
  explicit Session(std::span<const uint8_t> input) : choose_(input), blobs_(fixtures()) {}

  void run() {
    constexpr void (Session::*calls[])() = {
        &Session::damage,        &Session::parse_object, &Session::open_object,
        &Session::read_object,   &Session::parse_btf,    &Session::open_btf,
        &Session::read_btf,      &Session::print_btf,    &Session::new_linker,
        &Session::add_to_linker, &Session::link,         &Session::read_report,
        &Session::new_dedup,     &Session::add_to_dedup, &Session::run_dedup,
        &Session::make_modules,  &Session::forget,       &Session::read_names,
    };
    for (size_t i = choose_.below(4); i > 0; --i)
      for (auto call :
           {&Session::parse_object, &Session::parse_btf, &Session::new_linker, &Session::new_dedup})
        (this->*call)();
    constexpr size_t max_calls = 60;
    for (size_t i = 0; i < max_calls && !choose_.is_empty(); ++i)
      (this->*calls[choose_.below(std::size(calls))])();
  }

 private:
  // ---- arguments

  template <class T, size_t N>
  const T& slot(const std::array<T, N>& slots) {
    static const T none{};
    return choose_.one_in(12) ? none : slots[choose_.below(N)];
  }
  template <class T, size_t N>
  void keep(std::array<T, N>& slots, std::type_identity_t<T> handle) {
    slots[choose_.below(N)] = std::move(handle);
  }

  const std::shared_ptr<const Bytes>& blob() { return blobs_[choose_.below(blobs_.size())]; }
  /// Mostly BTF, or mostly an object.
  const std::shared_ptr<const Bytes>& blob_of(uint8_t first_byte) {
    const auto* found = &blob();
    for (int i = 0; i < 3 && ((*found)->empty() || (**found)[0] != first_byte); ++i)
      found = &blob();
    return *found;
  }
  const std::shared_ptr<const Bytes>& object() { return blob_of(0x7f); }
  const std::shared_ptr<const Bytes>& btf() { return blob_of(0x9f); }
  void keep_blob(const void* bytes, size_t size) {
    constexpr size_t max_blobs = 24;
    const auto* begin = static_cast<const uint8_t*>(bytes);
    auto kept = std::make_shared<const Bytes>(begin, begin + size);
    if (blobs_.size() < max_blobs)
      blobs_.push_back(std::move(kept));
    else
      blobs_[choose_.below(max_blobs)] = std::move(kept);
  }

  /// Null, or a text of several kinds.
  const char* text() {
    static const std::string longest(5000, 'n');
    return choose_.one_of<const char*>(
        {"count_packets", "counters", "struct task", "task", "int", "", "struct event", "a b=c",
         "x=y", "enum e", "limit", "\xff\n\t", "xdp", "?fentry/f", "_", longest.c_str(), nullptr});
  }
  uint32_t number() {
    return choose_.one_of<uint32_t>(
        {0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 0x7fffffff, 0xffffffff, uint32_t{choose_.byte()}});
  }
  /// Mostly 0 or 1.
  uint32_t flag() { return choose_.one_in(16) ? number() : choose_.byte() & 1; }

  // ---- results

  static void expect(bpflink_status status, std::initializer_list<bpflink_status> errors) {
    bool is_expected = status == BPFLINK_OK || status == BPFLINK_ERROR_ARGUMENT;
    for (bpflink_status error : errors) is_expected |= status == error;
    require(is_expected, "a function fails as its comment says");
    read_text(bpflink_status_text(status));
  }

  /// Reads each item of an array, whose strings must be there.
  template <class Item, class... Strings>
  static void read(const bpflink_array& array, Strings Item::*... strings) {
    require(array.count == 0 || array.stride == sizeof(Item), "an array has its stride");
    for (size_t i = 0; i < array.count; ++i) {
      const Item& item = static_cast<const Item*>(array.items)[i];
      (read_text(item.*strings), ...);
    }
  }

  /// Calls `call(&bytes, &size, &error)`, which makes a blob.
  template <class Call>
  void make_blob(Call call) {
    void* bytes = this;
    size_t size = 0;
    char* error = nullptr;
    bpflink_status status =
        call(choose_.one_in(32) ? nullptr : &bytes, &size, choose_.one_in(8) ? nullptr : &error);
    expect(status, {BPFLINK_ERROR_INPUT, BPFLINK_ERROR_LINK});
    take(error);
    if (bytes == this) return;
    require((status == BPFLINK_OK) == (bytes != nullptr), "a failed call gives null");
    if (!bytes) return;
    keep_blob(bytes, size);
    bpflink_free(bytes);
  }

  /// Calls `call(&handle, &error)`, which makes a handle, and puts it into a slot.
  template <class Handle, class Slots, class Call>
  void make(Slots& slots, void (*free)(Handle*), Needs needs, Call call) {
    Handle* handle = nullptr;
    char* error = nullptr;
    bpflink_status status =
        call(choose_.one_in(32) ? nullptr : &handle, choose_.one_in(8) ? nullptr : &error);
    expect(status, {BPFLINK_ERROR_INPUT});
    take(error);
    require((status == BPFLINK_OK) == (handle != nullptr), "a failed call gives null");
    if (!handle) return;
    auto owned = own(handle, free, std::move(needs));
    keep(slots, {owned.handle, owned.needs});
  }

  // ---- blobs

  /// Changes a few bytes of a blob.
  void damage() {
    Bytes bytes = *blob();
    if (bytes.empty()) return;
    for (size_t i = choose_.below(4); i < 4; ++i) {
      size_t at = choose_.byte() | choose_.byte() << 8;
      bytes[at % bytes.size()] = choose_.byte();
    }
    keep_blob(bytes.data(), bytes.size());
  }

  // ---- objects

  void parse_object() {
    auto bytes = object();
    make(objects_, bpflink_object_free, {bytes}, [&](bpflink_object** object, char** error) {
      return bpflink_object_parse(bytes->data(), bytes->size(), object, error);
    });
  }

  void open_object() {
    static const std::string path = std::string(FIXTURES) + "/arena.o";
    const char* name = choose_.one_in(4) ? text() : path.c_str();
    make(objects_, bpflink_object_free, {}, [&](bpflink_object** object, char** error) {
      return bpflink_object_open(name, object, error);
    });
  }

  void read_object() {
    const bpflink_object* object = slot(objects_).get();
    if (!object) return;
    const bpflink_contents& contents = *bpflink_object_contents(object);
    read_text(contents.license);
    read(contents.programs, &bpflink_program::name, &bpflink_program::section,
         &bpflink_program::target);
    read(contents.maps, &bpflink_map::name);
    for (size_t i = 0; i < contents.maps.count; ++i) {
      const bpflink_map& map = *BPFLINK_ITEM(bpflink_map, contents.maps, i);
      read(map.attributes, &bpflink_map_attribute::name);
      read(map.inner_attributes, &bpflink_map_attribute::name);
      read(map.slots, &bpflink_map_slot::symbol);
    }
    read(contents.data_sections, &bpflink_data_section::name);
    for (size_t i = 0; i < contents.data_sections.count; ++i)
      read(BPFLINK_ITEM(bpflink_data_section, contents.data_sections, i)->variables,
           &bpflink_variable::name);
    read(contents.externs, &bpflink_extern::name, &bpflink_extern::section);
    read(contents.struct_ops, &bpflink_struct_ops::name, &bpflink_struct_ops::section,
         &bpflink_struct_ops::type_name);
    for (size_t i = 0; i < contents.struct_ops.count; ++i)
      read(BPFLINK_ITEM(bpflink_struct_ops, contents.struct_ops, i)->members,
           &bpflink_struct_ops_member::name, &bpflink_struct_ops_member::program);
    // The object's own BTF, which lives as long as it.
    const Owned<bpflink_object>& owner =
        *std::ranges::find(objects_, object, &Owned<bpflink_object>::get);
    if (contents.btf)
      keep(btfs_, {std::shared_ptr<const bpflink_btf>(owner.handle, contents.btf), owner.needs});
  }

  void make_modules() {
    const char* name = text();
    char *module = nullptr, *error = nullptr;
    auto bytes = this->object();
    for (unsigned kind = 0; kind <= BPFLINK_SKELETON_SUBSKELETON; ++kind) {
      expect(bpflink_skeleton(bytes->data(), bytes->size(), name, bpflink_skeleton_kind(kind),
                              &module, &error),
             {BPFLINK_ERROR_INPUT});
      take(module);
      take(error);
    }
  }

  void read_names() {
    read_text(bpflink_program_type_name(number()));
    read_text(bpflink_attach_type_name(number()));
    read_text(bpflink_map_type_name(number()));
    read_text(bpflink_version());
  }

  // ---- BTF

  void parse_btf() {
    auto bytes = btf();
    make(btfs_, bpflink_btf_free, {bytes}, [&](bpflink_btf** btf, char** error) {
      return bpflink_btf_parse(bytes->data(), bytes->size(), btf, error);
    });
  }

  void open_btf() {
    static const std::string path = std::string(FIXTURES) + "/counters.o";
    const char* name = choose_.one_in(4) ? text() : path.c_str();
    auto base = choose_.one_in(4) ? slot(btfs_) : Owned<const bpflink_btf>{};
    make(btfs_, bpflink_btf_free, {base.handle}, [&](bpflink_btf** btf, char** error) {
      return bpflink_btf_open(name, base.get(), btf, error);
    });
  }

  uint32_t type_id(const bpflink_btf* btf) {
    uint32_t end = btf ? bpflink_btf_end_id(btf) : 1;
    return choose_.one_in(8) ? number() : (choose_.byte() | choose_.byte() << 8) % end;
  }

  void read_btf() {
    const bpflink_btf* btf = slot(btfs_).get();
    if (!btf) return;
    uint32_t found = 0;
    expect(bpflink_btf_find(btf, number(), text(), &found), {BPFLINK_ERROR_NOT_FOUND});
    const bpflink_type* type = nullptr;
    expect(bpflink_btf_type(btf, type_id(btf), &type), {});
    if (!type) return;
    read_text(type->name);
    read(type->members, &bpflink_member::name);
    read(type->enumerators, &bpflink_enumerator::name);
  }

  void print_btf() {
    const bpflink_btf* btf = slot(btfs_).get();
    uint32_t id = type_id(btf);
    take(bpflink_btf_declaration(btf, id, text()));
    take(bpflink_btf_definition(btf, id));
  }

  // ---- linker

  static void hear(void* context, const bpflink_diagnostic* diagnostic) {
    auto& session = *static_cast<Session*>(context);
    read_text(diagnostic->message);
    read_text(diagnostic->file);
    read_text(diagnostic->symbol);
    for (size_t i = 0; i < diagnostic->detail_count; ++i) read_text(diagnostic->details[i]);
    bpflink_diagnostic copy = *diagnostic;
    if (session.choose_.one_in(8)) copy.source = nullptr;
    take(bpflink_diagnostic_render(&copy, session.text(), session.flag()));
    read(diagnostic->locations, &bpflink_location::object, &bpflink_location::section,
         &bpflink_location::source, &bpflink_location::text);
  }

  void new_linker() {
    std::vector<std::string> options;
    for (size_t i = choose_.below(6); i > 0; --i) {
      std::string option = choose_.one_of<const char*>({"-r",
                                                        "--gc-sections",
                                                        "--gc-constants",
                                                        "--gc-maps",
                                                        "--localize-hidden",
                                                        "--keep-debug",
                                                        "-xs",
                                                        "--no-check-types",
                                                        "--verify",
                                                        "--shrink",
                                                        "--kernel-names",
                                                        "--emit-stats",
                                                        "--cref",
                                                        "--print-sizes=3",
                                                        "--threads=2",
                                                        "--target=classic-header",
                                                        "--lto-O",
                                                        "--license=",
                                                        "--prefix-symbols=",
                                                        "--explain=",
                                                        "-y",
                                                        "-u",
                                                        "--keep-section=",
                                                        "--keep-type=",
                                                        "--redefine-sym=",
                                                        "--prefix-symbols-of=",
                                                        "-o",
                                                        ""});
      const char* value = option.ends_with('=') || option.size() < 3 ? text() : "";
      options.push_back(option + (value ? value : ""));
    }
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    if (choose_.one_in(16)) texts.push_back(nullptr);
    auto* on_diagnostic = choose_.one_in(4) ? nullptr : hear;
    make(linkers_, bpflink_linker_free, {}, [&](bpflink_linker** linker, char** error) {
      return bpflink_linker_new(texts.data(), texts.size(), on_diagnostic, this, linker, error);
    });
  }

  void add_to_linker() {
    const auto& linker = slot(linkers_);
    auto bytes = object();
    static const std::string path = std::string(FIXTURES) + "/tally.o";
    switch (choose_.below(8)) {
      case 0:
        return expect(bpflink_linker_add_file(linker.get(), path.c_str()), {});
      case 1:
        return expect(bpflink_linker_add_library(linker.get(), text()), {});
      case 2:
        return expect(bpflink_linker_add_whole_archive(linker.get(), text()), {});
      case 3: {
        int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        expect(bpflink_linker_add_fd(linker.get(), choose_.one_in(4) ? -1 : fd, text()), {});
        close(fd);
        return;
      }
      default:
        expect(bpflink_linker_add_memory(linker.get(), text(), bytes->data(), bytes->size()), {});
        if (linker.get()) linker.needs->push_back(bytes);
    }
  }

  void link() {
    bpflink_linker* linker = slot(linkers_).get();
    if (choose_.one_in(6)) {
      int fd = memfd_create("output", MFD_CLOEXEC);
      expect(bpflink_linker_link_to_fd(linker, fd), {BPFLINK_ERROR_LINK});
      close(fd);
      return expect(bpflink_linker_link_to_file(linker, "/dev/null/none"), {BPFLINK_ERROR_LINK});
    }
    make_blob([&](void** bytes, size_t* size, char**) {
      return bpflink_linker_link_to_memory(linker, bytes, size);
    });
  }

  void read_report() {
    const bpflink_linker* linker = slot(linkers_).get();
    const bpflink_link_report* report = bpflink_linker_report(linker);
    if (!report) return;
    for (const char* text :
         {report->map, report->cross_references, report->explanations, report->sizes})
      read_text(text);
    for (size_t i = 0; i < report->file_count; ++i) read_text(report->files[i]);
    read(report->passes, &bpflink_pass::name);
  }

  // ---- deduplication

  void new_dedup() {
    uint32_t order = flag();
    make(dedups_, bpflink_dedup_free, {},
         [&](bpflink_dedup** dedup, char**) { return bpflink_dedup_new(order, dedup); });
  }

  void add_to_dedup() {
    expect(bpflink_dedup_add(slot(dedups_).get(), text(), slot(btfs_).get()), {});
  }

  void run_dedup() {
    bpflink_dedup* dedup = slot(dedups_).get();
    make_blob([&](void** bytes, size_t* size, char** error) {
      return bpflink_dedup_run(dedup, bytes, size, error);
    });
  }

  /// Frees handles in any order, and null.
  void forget() {
    bpflink_linker_free(nullptr), bpflink_object_free(nullptr), bpflink_btf_free(nullptr);
    bpflink_dedup_free(nullptr), bpflink_free(nullptr);
    switch (choose_.below(4)) {
      case 0:
        return keep(objects_, {});
      case 1:
        return keep(btfs_, {});
      case 2:
        return keep(linkers_, {});
      default:
        return keep(dedups_, {});
    }
  }

  Choices choose_;
  std::vector<std::shared_ptr<const Bytes>> blobs_;
  std::array<Owned<bpflink_object>, 4> objects_;
  std::array<Owned<const bpflink_btf>, 4> btfs_;
  std::array<Owned<bpflink_linker>, 2> linkers_;
  std::array<Owned<bpflink_dedup>, 2> dedups_;
};

}  // namespace
}  // namespace bpflink::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bpflink::fuzz::Session({data, size}).run();
  return 0;
}
