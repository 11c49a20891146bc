// Only compiled: a program from libbpf includes libbpf's headers, full of macros, and then ours.
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpflink/bpflink.h"
#include "bpflink/btf.hpp"
#include "bpflink/btf_file.hpp"
#include "bpflink/btf_query.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/diagnostic.hpp"
#include "bpflink/distill.hpp"
#include "bpflink/explain.hpp"
#include "bpflink/image_btf.hpp"
#include "bpflink/linker.hpp"
#include "bpflink/object.hpp"
#include "bpflink/print.hpp"
#include "bpflink/report.hpp"

static_assert(static_cast<uint32_t>(bpflink::BtfKind::Func) == BTF_KIND_FUNC);
