// BTF for older kernels and older readers.
#pragma once

#include <cstddef>
#include <expected>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/check.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// The last release that reads no layout section. convert_btf() for it changes the header alone.
inline constexpr LinuxRelease last_classic_header = {7, 0};

/// The types of `btf`, without its base's, as a blob that Linux `release` reads and loaders of its
/// time do. There are as many types, with the same ids, and as many bytes of strings, so that BTF
/// which is split from `btf` continues the blob. The header has 24 bytes before Linux 7.1. A type
/// that the release does not know is replaced by one that takes as many words:
///
///     ENUM64                a UNION whose members are the enumerators, of a type INT of the blob
///     DECL_TAG, VAR         an INT of one byte
///     TYPE_TAG              a CONST
///     FLOAT                 a STRUCT of the same size, without a name
///     DATASEC               a STRUCT whose members are the variables
///     FUNC, FUNC_PROTO      a TYPEDEF, an ENUM; before 5.6 a FUNC is static
///
/// In names, '_' takes the place of characters that the release refuses, so that all types of that
/// name show it. What changes neither is as it was: a release that reads all of `btf` gets it
/// unchanged. btf.rst, section 2.
///
/// Errors name the type: it has a vlen above 65535, an unknown kind, a name that is too long or
/// that the base does not change, or an ENUM64 without an INT for its members.
std::expected<std::vector<std::byte>, Error> convert_btf(const Btf& btf, LinuxRelease release,
                                                         BtfUse use = BtfUse::Program);

}  // namespace bpflink
