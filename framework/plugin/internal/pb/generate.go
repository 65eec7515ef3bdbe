// Package pb is the wire form of the plugin protocol, generated from
// framework/plugin/protocol/protocol.proto, which documents it.
//
// To generate it again, install protoc (Debian: protobuf-compiler) and
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0
//
// with $(go env GOPATH)/bin in PATH, and run go generate here.
package pb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative --proto_path=../../protocol ../../protocol/protocol.proto
