module bpflink.example/samples

go 1.19

require bpflink.example/bpflink2go v0.0.0

replace bpflink.example/bpflink2go => ../../linker/bindings/go
