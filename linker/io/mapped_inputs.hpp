// Keeps track of mapped files, for programs that own the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

/// From now on every mapped input stays mapped until the process ends, and is listed. This is for
/// programs, which end after their work: the system unmaps all inputs at once much faster than one
/// by one. And programs, unlike a library, may install a SIGBUS handler that finds out which input
/// was truncated (see interruption.hpp). Call this before opening the first input.
void keep_inputs_mapped();

/// Lists a mapped input, if inputs stay mapped. Returns whether they do.
bool list_mapped_input(const std::string& name, std::span<const std::byte> bytes);

/// The name of the listed input that is mapped at `address`, or null. Async-signal-safe: takes no
/// lock and allocates nothing.
const char* find_mapped_input(const void* address);

/// Why the system could not write `bytes`, from errno: EFAULT means that they belong to an input
/// that was truncated. (System calls do not raise SIGBUS.)
Error describe_write_failure(std::span<const std::byte> bytes);

}  // namespace bpflink
