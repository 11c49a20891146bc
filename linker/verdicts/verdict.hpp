// What loaders and verifiers refuse of an object, as far as the object alone shows it: one list of
// rules for the link, which judges its output, and for bpfcore, which judges what it is given.
//
// A rule states a fact and its words: what is refused, by whom, in which releases, because of which
// code. It asks no kernel. The link warns about what no kernel takes, at the places in its inputs
// (passes/check/check_verdicts.cpp). bpfcore asks the kernel for the release, and which programs
// reach the code there (programs/bpfcore/needs/check_verdicts.cpp). What more than the release
// decides, such as whether the kernel has a function, is in programs/bpfcore/needs/.
//
// A new rule is a function in judge_functions.cpp, judge_maps.cpp or judge_code.cpp that adds a
// Verdict, and a line in judge().
#pragma once

#include <string>
#include <vector>

#include "linker/facts/kernel_features.hpp"
#include "linker/program/core_object.hpp"

namespace bpflink {

/// Who refuses the object or the program.
enum class RefusedBy : uint8_t {
  Libbpf,     ///< does not open the object; other loaders may
  Loaders,    ///< all of them
  Verifiers,  ///< of programs that have the code
};

/// Who tells it. The link does not warn about what only some releases refuse, unless that is a
/// surprise; bpfcore may know better than the object shows.
enum class ToldBy : uint8_t { Both, Bpfcore, Link };

struct Verdict {
  CoreNeed need;
  std::string name;  ///< what reports call it
  RefusedBy by = RefusedBy::Verifiers;
  /// A sentence, "map m has no type"; of Libbpf, what it refuses: "static programs: p".
  std::string what;
  std::string advice{};  ///< or ""
  /// The functions and maps that it is about, by name.
  std::vector<std::string_view> symbols{};
  /// The code that is refused; of Verifiers, programs that have it do not load. If there is none,
  /// it is about the programs in `symbols` or else the whole object.
  std::vector<InsnPlace> places{};
  /// Whether the places only tell which programs have it.
  bool is_of_symbol = false;

  /// The releases that take it.
  Introduction brought = in_no_kernel;
  /// Of a thing that releases brought, which is `what`: "no kernel takes" it, or this begins the
  /// sentence that "came with Linux 6.6" completes. Or "".
  std::string lacks{};
  /// Earlier releases do not look at it.
  LinuxRelease refused_since{};
  /// Earlier releases refuse also code that they do not reach.
  LinuxRelease anywhere_before{};
  ToldBy told_by = ToldBy::Both;

  bool is_in_no_kernel() const { return brought.since == not_yet; }
};

/// All that is refused of an object, by rule, but for what only the other of ToldBy tells. With
/// `is_for_aya`, an object without a license is one of the GPL. Call analyze_code() first.
std::vector<Verdict> judge(const CoreObject& object, ToldBy by, bool is_for_aya = false);

// The rules:

void judge_static_programs(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_uses_of_programs(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_struct_ops_members(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_nameless_calls(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_circles(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_prototypes(const CoreObject& object, ToldBy by, std::vector<Verdict>& verdicts);

void judge_definitions(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_arenas(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_map_arguments(const CoreObject& object, ToldBy by, std::vector<Verdict>& verdicts);

void judge_legacy_maps(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_sections(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_instructions(const CoreObject& object, std::vector<Verdict>& verdicts);
void judge_license(const CoreObject& object, std::vector<Verdict>& verdicts);

}  // namespace bpflink
