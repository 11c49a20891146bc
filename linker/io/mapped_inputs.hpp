// Keeps track of mapped files, for programs that own the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

/// From here on every input that is mapped stays so until the process ends, and is listed.
/// For programs, which do nothing after their work: the system unmaps all inputs at once much
/// faster than one after the other. And they may install a handler for SIGBUS that looks up
/// which input it was that lost its end (see interruption.hpp); a library may not. Call it
/// before the first input is opened.
void keep_inputs_mapped();

/// Lists an input that was mapped, if inputs stay mapped. Returns whether they do.
bool list_mapped_input(const std::string& name, std::span<const std::byte> bytes);

/// The name of the listed input that is mapped at `address`, or null. Takes no lock and no
/// memory: a signal handler may call it.
const char* find_mapped_input(const void* address);

/// Why the system could not write `bytes`, when errno says so: EFAULT means that they are an
/// input's that has been cut off. (A system call is not sent SIGBUS.)
Error describe_write_failure(std::span<const std::byte> bytes);

}  // namespace bpflink
