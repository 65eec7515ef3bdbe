//go:build !cgo || !(amd64 || arm64)

package kernel

func implementations() []implementation { return []implementation{portable} }
