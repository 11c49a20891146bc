// Keeps track of mapped files, for programs that own the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

struct MappedInput;

/// From now on mapped inputs are listed. This is for programs, which unlike a library may install a
/// SIGBUS handler that finds out which input was truncated (see signals.hpp). Call this before
/// opening the first input.
void list_mapped_inputs();

/// From now on every mapped input stays mapped until the process ends: the system unmaps all inputs
/// at once much faster than one by one. This is for programs that end after their work.
void keep_inputs_mapped();
bool are_inputs_kept();

/// Lists a mapped input. Returns null if inputs are not listed.
MappedInput* list_mapped_input(const std::string& name, std::span<const std::byte> bytes);

/// Call this before a listed input is unmapped. `input` may be null.
void unlist_mapped_input(MappedInput* input);

/// The name of the listed input that is mapped at `address`, or null. Async-signal-safe: takes no
/// lock and allocates nothing.
const char* find_mapped_input(const void* address);

/// Why the system could not write `bytes`, from errno: EFAULT means that they belong to an input
/// that was truncated. (System calls do not raise SIGBUS.)
Error describe_write_failure(std::span<const std::byte> bytes);

}  // namespace bpflink
