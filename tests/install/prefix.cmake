# Installs the build into an empty prefix and checks for the required files.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(file
    bin/bpfcore
    bin/bpflink
    bin/bpfskel
    bin/bpftool-bpflink
    bin/btfdedup
    include/bpflink/bpflink.h
    include/bpflink/core.hpp
    include/bpflink/core_archive.h
    include/bpflink/linker.hpp
    lib/cmake/bpflink/BpflinkAddSkeleton.cmake
    lib/cmake/bpflink/BpflinkCheckCore.cmake
    lib/cmake/bpflink/bpflink-config.cmake
    lib/libbpflink-libbpf.a
    lib/libbpflink-libbpf.so.1
    lib/libbpflink.a
    lib/libbpflink.so
    lib/libbpflink.so.1
    lib/pkgconfig/bpflink-static.pc
    lib/pkgconfig/bpflink.pc
    share/bash-completion/completions/bpflink
    share/bash-completion/completions/bpfcore
    share/bash-completion/completions/bpfskel
    share/bpflink/core.schema.json
    share/bpflink/go/go.mod
    share/bpflink/output.schema.json
    share/bpflink/rust/Cargo.toml
    share/bpflink/rust/bpflink-sys/build.rs
    share/doc/bpflink/README.md
    share/fish/vendor_completions.d/bpfcore.fish
    share/fish/vendor_completions.d/bpflink.fish
    share/man/man1/bpfcore.1
    share/man/man1/bpflink.1
    share/man/man1/bpftool-bpflink.1
    share/man/man1/bpfskel.1
    share/man/man1/btfdedup.1
    share/man/man3/bpflink.h.3
    share/man/man3/libbpflink.3
    share/man/man5/bpflink-reports.5
    share/man/man7/bpflink-bpftool.7
    share/man/man7/bpflink-cmake.7
    share/zsh/site-functions/_bpfcore
    share/zsh/site-functions/_bpflink
    share/zsh/site-functions/_bpfskel
    share/zsh/site-functions/_btfdedup)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
