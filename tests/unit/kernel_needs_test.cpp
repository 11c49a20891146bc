// An object's needs, found in a kernel or missing, as libbpf decides: kernel_needs.bpf.c has the
// needs, and small_kernel.bpf.c is the kernel.
#include "linker/kernels/kernel_needs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../api/fixtures.hpp"
#include "bpflink/btf_query.hpp"
#include "bpflink/core.hpp"
#include "linker/object/helpers.hpp"

using namespace bpflink;

namespace {

using What = CoreNeed;

const std::string whole_btf(whole_btf_advice);

constexpr const char* config_text =
    "CONFIG_HZ=250\nCONFIG_SMALL=300\nCONFIG_BPF=y\nCONFIG_BPF_AS_CHAR=y\nCONFIG_MODULE=m\nCONFIG_"
    "MODULE_AS_BOOL=m\n"
    "CONFIG_NAME=\"generic\"\nCONFIG_NAME_AS_BOOL=\"generic\"\nCONFIG_KALLSYMS_ALL=y\n"
    "CONFIG_NUMBER_AS_BOOL=7\nCONFIG_NUMBER_AS_TRISTATE=7\nCONFIG_YES_AS_NUMBER=y\n";

std::unique_ptr<Kernel> read_small_kernel(const std::string& config) {
  TemporaryDirectory directory;
  KernelOptions options{.release = "6.1.5"};
  if (!config.empty()) {
    options.config = directory.file("config");
    std::ofstream(options.config) << config;
  }
  std::string path = fixture("small_kernel.o");
  auto sources = find_kernels(std::span(&path, 1), options);
  REQUIRE(sources);
  auto kernel = read_kernel(sources->front());
  REQUIRE(kernel);
  return std::move(*kernel);
}

/// The findings for an object in a kernel, and the values of its externs
struct Checked {
  std::vector<std::byte> image = read_file(fixture("kernel_needs.o"));
  CoreObject code = *CoreObject::read("kernel_needs.o", image);
  KernelNeeds needs;

  explicit Checked(const Kernel& kernel, const std::vector<uint32_t>& helpers = {})
      : needs{code, kernel} {
    code.analyze_code();
    needs.check();
    code.helper_calls.clear();
    for (uint32_t helper : helpers) code.helper_calls[helper] = {};
    needs.users_of = [](std::span<const InsnPlace>, CodeUse) {
      return std::vector<std::string_view>{"first", "second"};
    };
    code.kfunc_calls.clear();
    needs.check_calls();
  }
};

/// "ok", "zero: the reason (the remedy)", "fails to attach: ...".
std::string text_of(const CoreFinding& finding) {
  std::string text = finding.status == CoreStatus::Fails     ? "fails"
                     : finding.fails_to_attach               ? "fails to attach"
                     : finding.status == CoreStatus::Unknown ? "unknown"
                     : finding.becomes_zero                  ? "zero"
                                                             : "ok";
  if (!finding.complaint) return text;
  text += ": " + finding.complaint->what;
  if (!finding.complaint->advice.empty()) text += " (" + finding.complaint->advice + ")";
  return text;
}

/// The text of the only finding for `name`
std::string found(const Checked& checked, What need, const std::string& name,
                  std::string_view user = "") {
  std::string text;
  for (const CoreFinding& finding : checked.needs.findings) {
    if (finding.need != need || finding.name != name) continue;
    bool is_of_user = finding.symbol == user || std::ranges::count(finding.programs, user) != 0;
    if (!user.empty() && !is_of_user) continue;
    text += (text.empty() ? "" : "; ") + text_of(finding);
  }
  return text;
}

}  // namespace

TEST_CASE("functions and variables of the kernel") {
  auto kernel = read_small_kernel(config_text);
  Checked findings(*kernel);
  CHECK(found(findings, What::Kfunc, "bpf_known") == "ok");
  CHECK(found(findings, What::Kfunc, "bpf_known___flavor") == "ok");
  CHECK(found(findings, What::Kfunc, "bpf_other") ==
        "fails: bpf_other of vmlinux has another prototype");
  CHECK(found(findings, What::Kfunc, "bpf_other___weak") ==
        "zero: bpf_other of vmlinux has another prototype");
  CHECK(found(findings, What::Kfunc, "bpf_knwon") ==
        "fails: there is no kernel function bpf_knwon (did you mean bpf_known?)");
  CHECK(found(findings, What::Kfunc, "bpf_absent") ==
        "zero: there is no kernel function bpf_absent");
  CHECK(found(findings, What::KernelVariable, "known_variable") == "ok");
  CHECK(found(findings, What::KernelVariable, "other_variable") ==
        "fails: other_variable of vmlinux has another type");
  CHECK(found(findings, What::KernelVariable, "absent_variable") ==
        "zero: there is no kernel variable absent_variable");
  CHECK(found(findings, What::KernelSymbol, "any_symbol") ==
        "unknown: kernel symbol any_symbol (a running kernel's /proc/kallsyms has it)");
  CHECK(found(findings, What::KernelSymbol, "weak_symbol") ==
        "unknown: kernel symbol weak_symbol (a running kernel's /proc/kallsyms has it)");

  kernel->is_running = true;
  Checked running(*kernel);
  if (!found(running, What::KernelSymbol, "any_symbol").starts_with("unknown")) {
    CHECK(found(running, What::KernelSymbol, "any_symbol") ==
          "fails: /proc/kallsyms has no any_symbol");
    CHECK(found(running, What::KernelSymbol, "weak_symbol") ==
          "zero: /proc/kallsyms has no weak_symbol");
  }

  auto bare = read_small_kernel("CONFIG_HZ=250\n");
  CHECK(found(Checked(*bare), What::KernelVariable, "known_variable") ==
        "fails: the kernel knows no addresses of variables: CONFIG_KALLSYMS_ALL is not set");
}

TEST_CASE("modules provide what vmlinux lacks") {
  TemporaryDirectory directory;
  auto small = read_small_kernel("");
  BtfBuilder types(&small->btf);
  uint32_t prototype =
      small->btf.type(*find_type(small->btf, BtfKind::Func, "bpf_iter_task")).type();
  uint32_t last = 0;
  for (const char* name : {"bpf_knwon", "bpf_known", "bpf_lsm_file_open"})
    last = types.add_type(types.add_string(name),
                          BtfBuilder::info(BtfKind::Func, BtfLinkage::Static), prototype);
  auto read_with_module = [&](const char* release) {
    auto blob = types.finish(std::endian::little);
    REQUIRE(blob);
    std::ofstream(directory.file("testmod"), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob->data()),
               static_cast<std::streamsize>(blob->size()));
    std::string path = fixture("small_kernel.o");
    auto sources =
        find_kernels(std::span(&path, 1), {.release = release, .modules = directory.file("")});
    auto kernel = read_kernel(sources->front());
    REQUIRE(kernel);
    return std::move(*kernel);
  };
  auto with_module = read_with_module("6.1.5");
  Checked findings(*with_module);
  CHECK(found(findings, What::Kfunc, "bpf_knwon") == "ok");
  CHECK(found(findings, What::Kfunc, "bpf_known") == "ok");  // the kernel's own comes first
  CHECK(found(findings, What::AttachTarget, "file_open") == "ok");
  CHECK(found(findings, What::StructOps, "sched_ext_ops") ==
        "fails: there is no struct_ops type sched_ext_ops");

  // Without a release, nothing says that programs may call kernel functions at all.
  auto of_unknown_release = read_with_module("");
  Checked unknown(*of_unknown_release);
  CHECK(found(unknown, What::ConfigOption, "LINUX_KERNEL_VERSION") ==
        "unknown: LINUX_KERNEL_VERSION (give its --release)");
  CHECK(found(unknown, What::Kfunc, "bpf_known") ==
        "unknown: whether programs may call bpf_known (give its --release)");

  // If some functions are marked as kfuncs, the others are none.
  const uint32_t no_component = UINT32_MAX;
  types.add_type(types.add_string("bpf_kfunc"), BtfBuilder::info(BtfKind::DeclTag), last,
                 std::span(&no_component, 1));
  CHECK(found(Checked(*read_with_module("6.1.5")), What::Kfunc, "bpf_knwon") ==
        "ok: bpf_knwon of testmod is no kfunc");
}

TEST_CASE("options of the kernel's configuration") {
  auto kernel = read_small_kernel(config_text);
  auto option_in = [](const Checked& checked, const std::string& name) {
    std::string text = found(checked, What::ConfigOption, name);
    size_t subject = text.find(": " + name + " ");  // with which each sentence begins
    CHECK((text == "ok" || subject != text.npos));
    return subject == text.npos ? text : text.erase(subject + 2, name.size() + 1);
  };
  Checked checked(*kernel);
  auto option = [&](const std::string& name) { return option_in(checked, name); };
  CHECK(option("LINUX_KERNEL_VERSION") == "ok");
  CHECK(option("LINUX_HAS_BPF_COOKIE") == "ok");
  CHECK(option("LINUX_LATER") == "zero: is unknown to libbpf");
  CHECK(option("CONFIG_HZ") == "ok");
  CHECK(option("CONFIG_SMALL") == "fails: does not fit into a variable of 1 byte");
  CHECK(option("CONFIG_BPF") == "ok");
  CHECK(option("CONFIG_MODULE") == "ok");
  CHECK(option("CONFIG_MODULE_AS_BOOL") ==
        "fails: is m, which a bool cannot hold: declare it as enum libbpf_tristate");
  CHECK(option("CONFIG_NAME") == "ok");
  CHECK(option("CONFIG_NAME_AS_BOOL") ==
        "fails: is a string, but the variable is not an array of char");
  CHECK(option("CONFIG_BPG") == "fails: is not set (did you mean CONFIG_BPF?)");
  CHECK(option("CONFIG_NUMBER_AS_BOOL") == "fails: is a number, but the variable is a bool");
  CHECK(option("CONFIG_NUMBER_AS_TRISTATE") ==
        "fails: is a number, but the variable is not an integer");
  CHECK(option("CONFIG_YES_AS_NUMBER") ==
        "fails: is y, but the variable is not a bool, char or enum libbpf_tristate");
  CHECK(option("CONFIG_AS_STRUCT") == "fails: has a type that libbpf does not fill in");
  CHECK(option("LINUX_NEEDED") ==
        "fails: is neither an option of the kernel nor one that libbpf knows");
  CHECK(option("CONFIG_ABSENT") == "zero: is not set");

  auto unknown = read_small_kernel("");
  Checked unconfigured(*unknown);
  CHECK(option_in(unconfigured, "CONFIG_HZ") == "unknown: (give its --config)");
  CHECK(option_in(unconfigured, "CONFIG_ABSENT") == "unknown: (give its --config)");
  CHECK(option_in(unconfigured, "LINUX_LATER") == "zero: is unknown to libbpf");
}

TEST_CASE("the values of externs are those that a loader writes for their types") {
  auto kernel = read_small_kernel(config_text);
  Checked checked(*kernel);
  auto value = [&](std::string_view name) -> int64_t {
    const Answer<uint64_t>& answer = checked.needs.externs.at(name);
    if (answer.knowledge == Knowledge::Unknown) return -1;
    CHECK((answer.is_known() || answer.value == 0));
    return static_cast<int64_t>(answer.value);
  };
  CHECK(value("LINUX_KERNEL_VERSION") == 0x60105);
  CHECK(value("LINUX_HAS_BPF_COOKIE") == 0);
  CHECK(value("LINUX_LATER") == 0);
  CHECK(value("CONFIG_HZ") == 250);
  CHECK(value("CONFIG_BPF") == 1);
  CHECK(value("CONFIG_BPF_AS_CHAR") == 'y');
  CHECK(value("CONFIG_MODULE") == 2);
  CHECK(value("CONFIG_NAME") == -1);
  CHECK(value("CONFIG_SMALL") == -1);  // it does not fit
  CHECK(value("CONFIG_ABSENT") == 0);
  CHECK(value("bpf_known") == 1);
  CHECK(value("bpf_absent") == 0);
  CHECK(value("bpf_other___weak") == 0);
  CHECK(value("any_symbol") == -1);
}

TEST_CASE("minimized types do not say what a kernel lacks") {
  BtfBuilder types;
  types.add_type(types.add_string("task"), BtfBuilder::info(BtfKind::Struct), 4);
  auto blob = types.finish(std::endian::little);
  REQUIRE(blob);
  Kernel kernel("made", *Btf::parse(*blob));
  Checked checked(kernel);
  CHECK(found(checked, What::Kfunc, "bpf_absent") ==
        "unknown: kernel function bpf_absent (" + whole_btf + ")");
  CHECK(checked.needs.externs.at("bpf_absent").knowledge == Knowledge::Unknown);
  CHECK(found(checked, What::AttachTarget, "do_unlinkat") ==
        "unknown: function do_unlinkat (" + whole_btf + ")");
  CHECK(found(checked, What::StructOps, "sched_ext_ops") ==
        "unknown: struct_ops type sched_ext_ops (" + whole_btf + ")");
}

TEST_CASE("attach targets") {
  auto kernel = read_small_kernel("");
  Checked findings(*kernel);
  auto target = [&](const std::string& name) { return found(findings, What::AttachTarget, name); };
  CHECK(target("do_unlinkat") == "ok");
  CHECK(target("vmlinux:do_unlinkta") ==
        "fails: there is no function do_unlinkta in vmlinux (did you mean do_unlinkat?)");
  CHECK(target("sched_switch") == "ok");
  CHECK(target("sched_weitch") ==
        "fails to attach: there is no tracepoint sched_weitch (did you mean sched_switch?)");
  CHECK(target("task") == "ok");
  CHECK(target("file_open") == "fails: there is no LSM hook file_open (no modules were searched)");
  CHECK(target("") == "unknown: the target of set_later (the program that loads it sets one)");
  CHECK(target("absent_function") ==
        "fails: there is no function absent_function (no modules were searched)");
}

TEST_CASE("structs that programs implement") {
  auto kernel = read_small_kernel("");
  Checked findings(*kernel);
  auto member = [&](const std::string& of_struct) {
    std::string name = "tcp_congestion_ops___old." + of_struct;
    std::string text = found(findings, What::StructOpsMember, name);
    std::string subject = "struct_ops member " + name + " ";
    size_t at = text.find(subject);
    return at == text.npos ? text : text.erase(at, subject.size());
  };
  CHECK(found(findings, What::StructOps, "tcp_congestion_ops___old") == "ok");
  CHECK(member("init") == "ok");
  CHECK(member("pkts_acked") == "fails: does not exist in the kernel's struct");
  CHECK(member("release").empty());  // not initialized
  CHECK(member("ssthresh").empty());
  CHECK(member("flags") == "fails: has 4 bytes here and 8 in the kernel");
  CHECK(member("min_rt") == "fails: does not exist in the kernel's struct (did you mean min_rtt?)");
  CHECK(member("unset").empty());
  CHECK(member("bits") == "fails: is a bit-field, which the loader does not copy");
  CHECK(member("kind") == "fails: is INT here and STRUCT in the kernel");
  CHECK(member("data") == "fails: is not a pointer to a function in the kernel");
  CHECK(found(findings, What::StructOps, "halfway_ops") == "fails: there is no struct halfway_ops");
  CHECK(found(findings, What::StructOps, "unrelated_ops") ==
        "fails: struct bpf_struct_ops_unrelated_ops of the kernel has no member of type "
        "unrelated_ops");
  CHECK(found(findings, What::StructOps, "sched_ext_ops") ==
        "fails: there is no struct_ops type sched_ext_ops (no modules were searched)");
}

TEST_CASE("helpers, and types of maps and programs") {
  auto kernel = read_small_kernel("");
  Checked findings(*kernel, {1, 4, 5, 113});
  auto helper = [&](uint32_t id) {
    return found(findings, What::Helper, helper_name(id), "second");
  };
  CHECK(helper(1).empty());
  CHECK(helper(4).empty());
  CHECK(helper(5) == "fails: there is no helper bpf_ktime_get_ns (id 5)");
  CHECK(helper(113).empty());  // libbpf calls bpf_probe_read instead
  CHECK(found(findings, What::MapType, "hash") == "ok");
  CHECK(found(findings, What::MapType, "ringbuf") == "fails: there is no map type ringbuf (27)");
  CHECK(found(findings, What::ProgramType, "xdp") == "ok");
  CHECK(found(findings, What::ProgramType, "lsm") == "fails: there is no program type lsm (29)");
  CHECK(found(findings, What::AttachType, "fentry", "on_unlink") ==
        "unknown: attach type of fentry/do_unlinkat (24) (" + whole_btf + ")");
  CHECK(found(findings, What::AttachType, "xdp").empty());  // netlink attaches it as well
}

TEST_CASE("attach types") {
  BtfBuilder types;
  const uint32_t value[] = {types.add_string("BPF_TRACE_FENTRY"), 24};
  types.add_type(types.add_string("bpf_attach_type"), BtfBuilder::info(BtfKind::Enum, 1), 4, value);
  auto blob = types.finish(std::endian::little);
  REQUIRE(blob);
  auto btf = Btf::parse(*blob);
  REQUIRE(btf);
  Kernel kernel("made", std::move(*btf));
  Checked findings(kernel);
  CHECK(found(findings, What::AttachType, "fentry", "on_unlink") == "ok");
  CHECK(found(findings, What::AttachType, "iter") ==
        "fails: there is no attach type of iter/task (28)");
}

TEST_CASE("needs have names") {
  constexpr std::string_view names[] = {
      "relocation",    "kfunc",         "kernel variable", "kernel symbol",
      "config option", "attach target", "struct_ops",      "struct_ops member",
      "helper",        "map type",      "program type",    "attach type"};
  for (size_t i = 0; i < std::size(names); ++i) CHECK(core_need_name(What(i)) == names[i]);
}

TEST_CASE("names of helpers") {
  CHECK(helper_name(0) == "bpf_unspec");
  CHECK(helper_name(1) == "bpf_map_lookup_elem");
  CHECK(helper_name(112) == "bpf_probe_read_user");
  CHECK(helper_name(211) == "bpf_cgrp_storage_delete");
  CHECK(helper_name(100'000) == "bpf_func_100000");
}

TEST_CASE("types that refer to themselves or to very many are compared in bounded time") {
  // A prototype whose parameters are pointers to the previous one: each level doubles the work.
  BtfBuilder types;
  const uint32_t parameters[] = {0, 2, 0, 2};
  uint32_t prototype = types.add_type(0, BtfBuilder::info(BtfKind::FuncProto, 2), 0, parameters);
  uint32_t pointer = types.add_type(0, BtfBuilder::info(BtfKind::Ptr), prototype);
  uint32_t circle = types.add_type(0, BtfBuilder::info(BtfKind::Ptr), pointer + 1);
  CHECK_FALSE(are_types_compatible(types, prototype, types, prototype));
  CHECK_FALSE(are_types_compatible(types, circle, types, circle));
  CHECK(are_types_compatible(types, 0, types, 0));
}
