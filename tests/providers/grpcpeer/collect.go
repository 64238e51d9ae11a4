package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// received is one call of any method.
type received struct {
	Method   string
	Metadata metadata.MD
	Message  []byte
}

// collect serves all methods with empty answers until standard input ends, and prints its address
// and then each call as a line of JSON. The first call is refused as if the server were busy, if
// that is asked for.
func collect(busy bool) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	handle := func(_ any, stream grpc.ServerStream) error {
		call := received{}
		call.Method, _ = grpc.MethodFromServerStream(stream)
		call.Metadata, _ = metadata.FromIncomingContext(stream.Context())
		if err := stream.RecvMsg(&call.Message); err != nil {
			return err
		}
		if busy {
			busy = false
			return status.Error(codes.Unavailable, "busy")
		}
		line, err := json.Marshal(call)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
		return stream.SendMsg(&[]byte{})
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(handle), grpc.ForceServerCodec(rawCodec{}))
	go func() { _ = server.Serve(listener) }()
	fmt.Println(listener.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin)
}
