// Loads a BPF object into the running kernel and checks what it computes.
//
//     bpf_run [--with-btf] OBJECT [CHECK]...
//
// With --with-btf, the kernel must also take the object's types, without which libbpf goes on. A
// check is an equation in C's notation. Checks run in the given order:
//
//     'prog()=12'     runs the program with BPF_PROG_TEST_RUN: its return value
//     'counter=5'     a global variable, found through the object's BTF
//     'table[2]=7'    a map element, by its key as a number
//
// It attaches nothing. The exit status is 0; 1 if a check fails or the object does not load; 77,
// with the reason, if the kernel does not permit bpf() at all.
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int exit_skipped = 77;

std::string libbpf_log;

int append_to_log(libbpf_print_level level, const char* format, va_list arguments) {
  if (level == LIBBPF_DEBUG) return 0;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(length + 1, '\0');  // the verifier's log is long, and its end says why
  std::vsnprintf(text.data(), text.size(), format, arguments);
  text.pop_back();
  libbpf_log += text;
  return length;
}

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using ObjectPtr = std::unique_ptr<bpf_object, CloseObject>;

/// True if this process may use bpf(); otherwise prints why not.
bool bpf_permitted() {
  const int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 4, 1, nullptr);
  if (fd >= 0) {
    close(fd);
    return true;
  }
  std::printf("SKIPPED: bpf() is not permitted here: %s\n", std::strerror(errno));
  return false;
}

/// The first bytes of `value`, at most eight, as an unsigned number.
uint64_t leading_number(const std::vector<uint8_t>& value, size_t size) {
  uint64_t number = 0;
  std::memcpy(&number, value.data(), std::min(size, sizeof number));
  return number;
}

/// The map of a section's variables. libbpf names it after the section, sometimes prefixed with the
/// object's name.
bpf_map* map_of_section(bpf_object* object, std::string_view section) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    if (bpf_map__is_internal(map) && std::string_view(bpf_map__name(map)).ends_with(section)) {
      return map;
    }
  }
  return nullptr;
}

std::optional<uint64_t> read_global(bpf_object* object, const std::string& name) {
  const btf* types = bpf_object__btf(object);
  for (uint32_t id = 1; id < btf__type_cnt(types); id++) {
    const btf_type* datasec = btf__type_by_id(types, id);
    if (!btf_is_datasec(datasec)) continue;
    const btf_var_secinfo* variable = btf_var_secinfos(datasec);
    for (int i = 0; i < btf_vlen(datasec); i++, variable++) {
      const btf_type* type = btf__type_by_id(types, variable->type);
      if (name != btf__name_by_offset(types, type->name_off)) continue;
      bpf_map* map = map_of_section(object, btf__name_by_offset(types, datasec->name_off));
      if (!map) continue;
      std::vector<uint8_t> value(bpf_map__value_size(map));
      const uint32_t key = 0;
      if (bpf_map_lookup_elem(bpf_map__fd(map), &key, value.data())) return std::nullopt;
      value.erase(value.begin(), value.begin() + variable->offset);
      value.resize(std::max<size_t>(value.size(), 8));
      return leading_number(value, variable->size);
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> read_element(bpf_object* object, const std::string& name, uint64_t key) {
  const bpf_map* map = bpf_object__find_map_by_name(object, name.c_str());
  if (!map) return std::nullopt;
  std::vector<uint8_t> value(std::max<size_t>(bpf_map__value_size(map), 8));
  std::vector<uint8_t> key_bytes(std::max<size_t>(bpf_map__key_size(map), 8));
  std::memcpy(key_bytes.data(), &key, sizeof key);
  if (bpf_map_lookup_elem(bpf_map__fd(map), key_bytes.data(), value.data())) return std::nullopt;
  return leading_number(value, bpf_map__value_size(map));
}

/// Runs a program once on input that fits its type and returns its return value.
std::optional<uint64_t> run(bpf_object* object, const std::string& name) {
  const bpf_program* program = bpf_object__find_program_by_name(object, name.c_str());
  if (!program) return std::nullopt;
  std::array<uint8_t, 64> packet{};
  packet[12] = 0x08;  // an IPv4 frame
  packet[14] = 0x45;
  std::array<uint64_t, 2> arguments{};

  bpf_test_run_opts options{};
  options.sz = sizeof options;
  switch (bpf_program__type(program)) {
    case BPF_PROG_TYPE_RAW_TRACEPOINT:
    case BPF_PROG_TYPE_SYSCALL:
      options.ctx_in = arguments.data();
      options.ctx_size_in = sizeof arguments;
      break;
    default:
      options.data_in = packet.data();
      options.data_size_in = packet.size();
      options.repeat = 1;
  }
  if (const int error = bpf_prog_test_run_opts(bpf_program__fd(program), &options)) {
    std::fprintf(stderr, "%s: BPF_PROG_TEST_RUN: %s\n", name.c_str(), std::strerror(-error));
    return std::nullopt;
  }
  return options.retval;
}

/// The value of a check's left side: `prog()`, `map[key]` or `variable`.
std::optional<uint64_t> evaluate(bpf_object* object, const std::string& expression) {
  if (expression.ends_with("()")) return run(object, expression.substr(0, expression.size() - 2));
  const size_t bracket = expression.find('[');
  if (bracket == std::string::npos) return read_global(object, expression);
  return read_element(object, expression.substr(0, bracket),
                      std::stoull(expression.substr(bracket + 1), nullptr, 0));
}

bool holds(bpf_object* object, const std::string& check) {
  const size_t equals = check.rfind('=');
  const std::string expression = check.substr(0, equals);
  const std::optional<uint64_t> value = evaluate(object, expression);
  if (!value) {
    std::fprintf(stderr, "FAIL: %s has no value\n", expression.c_str());
    return false;
  }
  std::printf("%s = %llu\n", expression.c_str(), static_cast<unsigned long long>(*value));
  if (equals == std::string::npos) return true;
  const uint64_t want = std::stoull(check.substr(equals + 1), nullptr, 0);
  if (*value == want) return true;
  std::fprintf(stderr, "FAIL: %s is %llu, expected %llu\n", expression.c_str(),
               static_cast<unsigned long long>(*value), static_cast<unsigned long long>(want));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool with_btf = !arguments.empty() && arguments[0] == "--with-btf";
  if (with_btf) arguments.erase(arguments.begin());
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: bpf_run [--with-btf] OBJECT [CHECK]...\n");
    return 1;
  }
  if (arguments[0] == "--libbpf-version") {
    std::printf("%u.%u\n", libbpf_major_version(), libbpf_minor_version());
    return 0;
  }
  libbpf_set_print(append_to_log);
  if (!bpf_permitted()) return exit_skipped;

  const ObjectPtr object(bpf_object__open_file(arguments[0].c_str(), nullptr));
  if (!object || bpf_object__load(object.get())) {
    std::fprintf(stderr, "FAIL: %s does not load: %s\n%s", arguments[0].c_str(),
                 std::strerror(errno), libbpf_log.c_str());
    return 1;
  }
  if (with_btf && libbpf_log.contains("BTF is optional")) {
    std::fprintf(stderr, "FAIL: the kernel refuses the types of %s\n%s", arguments[0].c_str(),
                 libbpf_log.c_str());
    return 1;
  }
  for (size_t i = 1; i < arguments.size(); i++) {
    if (!holds(object.get(), arguments[i])) return 1;
  }
  return 0;
}
