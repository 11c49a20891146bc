module bpflink.example/bpflink2go

go 1.19
