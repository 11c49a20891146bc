// After `go get bpflink.example/bpflink2go`, which writes go.sum: go generate ./... && go run ./counter
module bpflink.example/samples

go 1.19

require (
	bpflink.example/bpflink2go v0.0.0
	github.com/cilium/ebpf v0.9.1 // indirect
	golang.org/x/sys v0.0.0-20210906170528-6f6e22806c34 // indirect
)

replace bpflink.example/bpflink2go => ../../linker/bindings/go
