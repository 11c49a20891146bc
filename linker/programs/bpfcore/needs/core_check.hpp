// Binds an object's CO-RE relocations to a kernel, and finds the code that runs there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linker/program/core_finding.hpp"
#include "linker/program/core_object.hpp"
#include "linker/program/reachability.hpp"

namespace bpflink {

/// Finds what a check on kernels needs and reports show. Call analyze_code() first.
void prepare_check(CoreObject& object);

/// How much the check of an object on a kernel may take.
struct CheckLimits {
  /// CodeFacts::max_steps.
  uint64_t steps = CodeFacts().max_steps;
  /// How many names of the kernel are compared in search of what a relocation may have meant. In
  /// real programs, a few hundred accesses fail.
  size_t names = size_t{1} << 17;
};

/// An object's relocations on one kernel, and the code that the kernel's verifier reaches.
class ObjectCheck {
 public:
  /// The object must outlive this. Call prepare_check() first. `release` is the kernel's, for
  /// advice, or "".
  ObjectCheck(const CoreObject& object, const CoreKernel& kernel, const CoreFacts& facts,
              const std::string& release = "", const CheckLimits& limits = {});

  /// The findings, in the order of `object.records`.
  std::vector<CoreFinding> take_relocations() { return std::move(relocations_); }
  /// The programs that have one of the places, by name.
  ProgramList programs_with(std::span<const InsnPlace> places, CodeUse use);
  /// The places from the first on that the program has, if it is among the first; else none.
  std::span<const InsnPlace> from_first_use(std::span<const InsnPlace> places, CodeUse use,
                                            std::string_view program);
  /// Whether so much code leads to so many programs that the findings do not name all of them.
  bool is_exhausted() const { return reachability_.is_exhausted(); }

 private:
  ProgramList programs_with(const InsnPlace& place, CodeUse use);

  std::vector<CoreFinding> relocations_;
  BoundInsns insns_;
  Reachability reachability_;
};

/// Makes `minimizer` keep the types that the object's relocations need.
void keep_needed(const CoreObject& object, CoreMinimizer& minimizer);

}  // namespace bpflink
