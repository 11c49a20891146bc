module bpflink.example/samples

go 1.19
