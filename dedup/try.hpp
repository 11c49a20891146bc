// Leaves a function with the error of one of its steps.
#pragma once

#include <expected>
#include <utility>

/// The value of an std::expected, or nothing of one of void. If it is an error, the function
/// returns that: `auto object = TRY(ObjectFile::read(name, image));`.
#define TRY(...)                                                  \
  __extension__({                                                 \
    auto tried = (__VA_ARGS__);                                   \
    if (!tried) return std::unexpected(std::move(tried).error()); \
    *std::move(tried);                                            \
  })
