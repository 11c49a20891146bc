module bpflink.example/bpflink2go

go 1.19

require github.com/cilium/ebpf v0.9.1

require golang.org/x/sys v0.0.0-20210906170528-6f6e22806c34 // indirect
