// Which declarations the shared library offers.
#pragma once

/// Marks what users of the shared library may call; all else is hidden in it.
#define BPFLINK_API __attribute__((visibility("default")))

/// Marks what belongs to a class that the shared library offers and stays in it.
#define BPFLINK_INTERNAL __attribute__((visibility("hidden")))
