// go get github.com/cilium/ebpf bpflink.example/bpflink2go && go generate ./... && go run ./counter
module bpflink.example/samples

go 1.19

replace bpflink.example/bpflink2go => ../../linker/interfaces/go
