// Compiles the non-template functions of fmt once. In header-only mode, each of a hundred files
// would compile them again, which doubled the build time of the library. Loading fmt as a shared
// library would take longer than a small link.
#include <fmt/format-inl.h>

// <fmt/format.h> declares these templates as instantiated elsewhere. Optimized code does not need
// the decimal point.
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;
#if FMT_VERSION >= 100000
template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                            fmt::detail::vformat_args<char>::type,
                                            fmt::detail::locale_ref);
#endif
