// Servers for the test of the provider transport: a grpc-go server, and one that writes HTTP/2
// frames of every shape. For each case the answer of grpc-go's own client is printed, which is what
// the transport must answer too.
//
//	grpcpeer DIRECTORY    serves on sockets in DIRECTORY until standard input ends
//	grpcpeer -collect     prints the calls that it receives (collect.go); -collect=busy refuses the first
//
// Output, tab-separated: "server NAME TARGET", then "case SERVER METHOD REQUEST TIMEOUT LIMIT CODE
// SIZE SHA256 MESSAGE", then "ready". REQUEST is the size of a message of zeros; TIMEOUT is in milliseconds;
// SIZE and SHA256 are those of the response. Messages are quoted as in Go.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// rawCodec passes bytes on.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = bytes.Clone(data); return nil }
func (rawCodec) Name() string                       { return "raw" }

// argument returns what follows the last dot of a method: /t/Name.argument.
func argument(method string) (string, string) {
	name := method[strings.LastIndexByte(method, '/')+1:]
	name, rest, _ := strings.Cut(name, ".")
	return name, rest
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// pattern is a response of a size.
func pattern(size int) []byte {
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(i * 131 >> 3)
	}
	return out
}

// answer serves all methods of the grpc-go server.
func answer(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	name, arg := argument(method)
	var request []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	switch name {
	case "Echo":
		return stream.SendMsg(&request)
	case "Size":
		out := pattern(number(arg))
		return stream.SendMsg(&out)
	case "Fail":
		return status.Error(codes.Code(number(arg)), "it broke: 100% ü\n\t\"x\" "+strings.Repeat("y", 10))
	case "FailAfter":
		out := pattern(10)
		if err := stream.SendMsg(&out); err != nil {
			return err
		}
		return status.Error(codes.Code(number(arg)), "too late")
	case "LongFail":
		return status.Error(codes.Internal, strings.Repeat("long ", number(arg)))
	case "Sleep":
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-time.After(time.Duration(number(arg)) * time.Millisecond):
			return stream.SendMsg(&request)
		}
	case "Deadline":
		deadline, ok := stream.Context().Deadline()
		out := []byte(fmt.Sprint(ok, ok && time.Until(deadline) <= time.Hour && time.Until(deadline) > 50*time.Minute))
		return stream.SendMsg(&out)
	case "Nothing":
		return nil
	case "Two":
		out := pattern(10)
		_ = stream.SendMsg(&out)
		return stream.SendMsg(&out)
	case "Many":
		for i := 0; i < number(arg); i++ {
			out := []byte(fmt.Sprintf("message %d", i))
			if err := stream.SendMsg(&out); err != nil {
				return err
			}
		}
		<-stream.Context().Done()
		return stream.Context().Err()
	}
	return status.Errorf(codes.Unimplemented, "unknown method %s", name)
}

// framed is a connection whose frames are written one by one.
type framed struct {
	conn    net.Conn
	framer  *http2.Framer
	table   bytes.Buffer
	encoder *hpack.Encoder
}

func (f *framed) headers(id uint32, last bool, fields ...string) {
	f.table.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = f.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = f.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.table.Bytes(), EndHeaders: true, EndStream: last})
}

func (f *framed) start(id uint32) {
	f.headers(id, false, ":status", "200", "content-type", "application/grpc")
}

func message(flag byte, body []byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(body)))
	return append(out, body...)
}

// serve answers the requests of one connection with frames that the method names.
func serve(conn net.Conn, goaways *int) {
	defer conn.Close()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	f := &framed{conn: conn, framer: http2.NewFramer(conn, conn)}
	f.encoder = hpack.NewEncoder(&f.table)
	f.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.framer.SetMaxReadFrameSize(1 << 24)
	_ = f.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1})
	paths := map[uint32]string{}
	received := map[uint32][]byte{}
	for {
		frame, err := f.framer.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.framer.WriteSettingsAck()
			}
		case *http2.MetaHeadersFrame:
			paths[frame.StreamID] = frame.PseudoValue("path")
		case *http2.DataFrame:
			id := frame.StreamID
			received[id] = append(received[id], frame.Data()...)
			if frame.StreamEnded() {
				if !f.respond(id, paths[id], received[id], goaways) {
					return
				}
			} else if len(frame.Data()) > 0 {
				// One byte more for the stream; the connection's window is kept open.
				_ = f.framer.WriteWindowUpdate(id, 1)
				_ = f.framer.WriteWindowUpdate(0, uint32(len(frame.Data())))
			}
		}
	}
}

// respond writes the response to one request. False closes the connection.
func (f *framed) respond(id uint32, path string, request []byte, goaways *int) bool {
	name, arg := argument(path)
	good := message(0, pattern(1000))
	switch name {
	case "Echo":
		f.start(id)
		_ = f.framer.WriteData(id, false, request)
		f.headers(id, true, "grpc-status", "0")
	case "Bytes": // one byte in a frame, with empty ones, padding and pings
		f.start(id)
		for i, b := range good {
			_ = f.framer.WriteDataPadded(id, false, []byte{b}, make([]byte, i%7))
			if i%50 == 0 {
				_ = f.framer.WriteData(id, false, nil)
				_ = f.framer.WritePing(false, [8]byte{byte(i)})
			}
		}
		f.headers(id, true, "grpc-status", "0")
	case "Reset":
		_ = f.framer.WriteRSTStream(id, http2.ErrCode(number(arg)))
	case "ResetLater":
		f.start(id)
		_ = f.framer.WriteData(id, false, good[:500])
		_ = f.framer.WriteRSTStream(id, http2.ErrCode(number(arg)))
	case "ResetAfterMessage":
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		_ = f.framer.WriteRSTStream(id, http2.ErrCode(number(arg)))
	case "GoAway": // refuses the stream the first time
		*goaways++
		if *goaways%2 == 1 {
			_ = f.framer.WriteGoAway(0, http2.ErrCodeNo, nil)
			return true
		}
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		f.headers(id, true, "grpc-status", "0")
	case "GoAwayAfter": // completes this stream
		_ = f.framer.WriteGoAway(id, http2.ErrCodeNo, nil)
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		f.headers(id, true, "grpc-status", "0")
	case "Close":
		return false
	case "CloseLater":
		f.start(id)
		_ = f.framer.WriteData(id, false, good[:500])
		return false
	case "CloseAfterMessage":
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		return false
	case "Garbage":
		_, _ = f.conn.Write(bytes.Repeat([]byte("garbage "), 100))
	case "NoTrailers":
		f.start(id)
		_ = f.framer.WriteData(id, true, good)
	case "NoTrailersEmpty":
		f.start(id)
		_ = f.framer.WriteData(id, true, nil)
	case "Partial":
		f.start(id)
		_ = f.framer.WriteData(id, false, good[:number(arg)])
		f.headers(id, true, "grpc-status", "0")
	case "PartialFail":
		f.start(id)
		_ = f.framer.WriteData(id, false, good[:number(arg)])
		f.headers(id, true, "grpc-status", "9", "grpc-message", "no")
	case "Flag":
		f.headers(id, false, ":status", "200", "content-type", "application/grpc+proto")
		_ = f.framer.WriteData(id, false, message(byte(number(arg)), pattern(9)))
		f.headers(id, true, "grpc-status", "0")
	case "Encoding":
		f.headers(id, false, ":status", "200", "content-type", "application/grpc", "grpc-encoding", arg)
		_ = f.framer.WriteData(id, false, message(1, pattern(9)))
		f.headers(id, true, "grpc-status", "0")
	case "TrailersOnly":
		f.headers(id, true, ":status", "200", "content-type", "application/grpc", "grpc-status", arg, "grpc-message", "a%20b%zz%4")
	case "Trailers":
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		f.headers(id, true, "grpc-status", arg, "grpc-message", "%e4%bd%a0 %")
	case "NoStatus":
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		f.headers(id, true, "other", "x")
	case "Http":
		f.headers(id, true, ":status", arg, "content-type", "text/html")
	case "HttpPlain":
		f.headers(id, true, ":status", arg)
	case "HttpNone":
		f.headers(id, true, "content-type", "text/html; charset=\"x\"")
	case "HttpGrpc":
		f.headers(id, true, ":status", arg, "content-type", "application/grpc", "grpc-status", "5", "grpc-message", "said so")
	case "Informational":
		f.headers(id, false, ":status", "103", "link", "x")
		f.start(id)
		_ = f.framer.WriteData(id, false, good)
		f.headers(id, true, "grpc-status", "0")
	case "Middle":
		f.start(id)
		f.headers(id, false, "x", "y")
		_ = f.framer.WriteData(id, false, good)
		f.headers(id, true, "grpc-status", "0")
	case "Huge": // announces more than it sends
		f.start(id)
		_ = f.framer.WriteData(id, false, binary.BigEndian.AppendUint32([]byte{0}, uint32(number(arg))))
		f.headers(id, true, "grpc-status", "0")
	case "Silent":
	}
	return true
}

type testCase struct {
	server, method string
	request        int
	timeout        time.Duration
	limit          int
}

func cases() []testCase {
	var out []testCase
	add := func(server string, request int, methods ...string) {
		for _, method := range methods {
			out = append(out, testCase{server, "/t/" + method, request, 0, math.MaxInt32})
		}
	}
	for _, size := range []int{0, 1, 4, 5, 16379, 16380, 65535, 70000, 1 << 20} {
		add("grpc", size, "Echo", fmt.Sprintf("Size.%d", size))
	}
	add("grpc", 3, "Size.200000000", "Nothing", "Two", "LongFail.1000", "LongFail.12000", "Unknown", "Deadline")
	add("grpc", 200_000_000, "Size.1")
	for code := range 18 {
		add("grpc", 3, fmt.Sprintf("Fail.%d", code), fmt.Sprintf("FailAfter.%d", code))
	}
	out = append(out,
		testCase{"grpc", "/t/Sleep.5000", 3, 100 * time.Millisecond, math.MaxInt32},
		testCase{"grpc", "/t/Deadline", 3, time.Hour, math.MaxInt32},
		testCase{"grpc", "/t/Sleep.20", 3, 5 * time.Second, math.MaxInt32},
		testCase{"frames", "/t/Silent", 3, 100 * time.Millisecond, math.MaxInt32},
		testCase{"grpc", "/t/Size.1001", 3, 0, 1000},
		testCase{"grpc", "/t/Size.1000", 3, 0, 1000},
		testCase{"frames", "/t/Huge.2147483648", 3, 0, math.MaxInt32})
	for _, size := range []int{0, 1, 300} {
		add("frames", size, "Echo")
	}
	for code := range 16 {
		add("frames", 2, fmt.Sprintf("Reset.%d", code), fmt.Sprintf("ResetLater.%d", code), fmt.Sprintf("ResetAfterMessage.%d", code))
	}
	add("frames", 2, "Bytes", "GoAway", "GoAwayAfter", "Echo", "Close", "CloseLater", "CloseAfterMessage", "Echo",
		"Garbage", "Echo", "NoTrailers", "NoTrailersEmpty", "Partial.0", "Partial.3", "Partial.5", "Partial.700",
		"PartialFail.0", "PartialFail.3", "PartialFail.700", "Flag.0", "Flag.1", "Flag.2", "Encoding.identity", "Encoding.br",
		"TrailersOnly.0", "TrailersOnly.7", "TrailersOnly.x", "TrailersOnly.-1", "TrailersOnly.99", "TrailersOnly.99999999999",
		"Trailers.0", "Trailers.11", "Trailers.1y", "NoStatus", "HttpNone", "HttpGrpc.500", "Informational", "Middle", "Huge.100000000")
	for _, code := range []int{100, 200, 301, 302, 400, 401, 403, 404, 429, 500, 502, 503, 504, 599} {
		if code >= 200 {
			add("frames", 2, fmt.Sprintf("Http.%d", code), fmt.Sprintf("HttpPlain.%d", code))
		}
	}
	add("absent", 2, "Echo")
	return out
}

func connect(target string) *grpc.ClientConn {
	client, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		panic(err)
	}
	return client
}

func main() {
	directory := os.Args[1]
	if strings.HasPrefix(directory, "-collect") {
		collect(directory == "-collect=busy")
		return
	}
	targets := map[string]string{"absent": "unix:" + filepath.Join(directory, "absent")}
	listen := func(name string) net.Listener {
		path := filepath.Join(directory, name)
		listener, err := net.Listen("unix", path)
		if err != nil {
			panic(err)
		}
		targets[name] = "unix:" + path
		return listener
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(answer), grpc.ForceServerCodec(rawCodec{}),
		grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32), grpc.MaxConcurrentStreams(8))
	// Every socket listens before a client dials: a refused client backs off for a second.
	calls := listen("grpc")
	go func() { _ = server.Serve(calls) }()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = server.Serve(tcp) }()
	frames := listen("frames")
	go func() {
		goaways := 0
		for {
			conn, err := frames.Accept()
			if err != nil {
				return
			}
			go serve(conn, &goaways)
		}
	}()
	targets["tcp"] = tcp.Addr().String()
	clients := map[string]*grpc.ClientConn{}
	for name, target := range targets {
		fmt.Printf("server\t%s\t%s\n", name, target)
		clients[name] = connect(target)
	}
	for _, c := range cases() {
		ctx, cancel := context.Background(), func() {}
		if c.timeout > 0 {
			ctx, cancel = context.WithTimeout(ctx, c.timeout)
		}
		request := make([]byte, c.request)
		var response []byte
		err := clients[c.server].Invoke(ctx, c.method, &request, &response, grpc.MaxCallRecvMsgSize(c.limit))
		cancel()
		if err != nil {
			response = nil
		}
		sum := sha256.Sum256(response)
		fmt.Printf("case\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%q\n", c.server, c.method, c.request, c.timeout.Milliseconds(), c.limit,
			uint32(status.Code(err)), len(response), hex.EncodeToString(sum[:8]), status.Convert(err).Message())
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}
