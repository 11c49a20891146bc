// The functions of fmt that are no templates, compiled here once. Header-only, each of a hundred
// files would compile them again, which doubled the time that the library takes to build; in a
// shared library, they would take longer to load than a small link takes.
#include <fmt/format-inl.h>

// Templates all the same, of which <fmt/format.h> says that they are compiled elsewhere. Optimized
// code needs no decimal point.
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;
