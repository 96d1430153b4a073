package eventlog

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// frameCodec names how a frame is packed. The numbers are part of the format.
type frameCodec uint8

const (
	codecPlain frameCodec = 0
	codecZstd  frameCodec = 1
)

var errFrame = errors.New("frame does not unpack")

// zstdEncoder and zstdDecoder keep no state between calls and may be used by
// many goroutines at once; whole-buffer calls start no goroutine. The frame's
// own CRC32C makes zstd's checksum superfluous.
var (
	zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
		return mustZstd(zstd.NewWriter(nil,
			zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderCRC(false)))
	})
	zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
		return mustZstd(zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(0),
			zstd.WithDecoderMaxMemory(MaxObject),
			zstd.WithDecodeAllCapLimit(true)))
	})
)

func mustZstd[T any](v T, err error) T {
	if err != nil {
		panic(err) // constant options
	}
	return v
}

// packFrame compresses a frame where that makes it smaller.
func packFrame(plain []byte) (frameCodec, []byte) {
	if len(plain) < 64 {
		return codecPlain, plain
	}
	packed := zstdEncoder().EncodeAll(plain, make([]byte, 0, len(plain)/4+64))
	if len(packed) >= len(plain) {
		return codecPlain, plain
	}
	return codecZstd, packed
}

// unpackFrame reverses packFrame. It takes no more memory than raw, which the
// header said, and raw may be no more than limit.
func unpackFrame(codec frameCodec, packed []byte, raw uint32, limit int) ([]byte, error) {
	if int64(raw) > int64(limit) {
		return nil, fmt.Errorf("frame of %d bytes is over %d", raw, limit)
	}
	switch codec {
	case codecPlain:
		if len(packed) != int(raw) {
			return nil, errFrame
		}
		return packed, nil
	case codecZstd:
		plain, err := zstdDecoder().DecodeAll(packed, make([]byte, 0, raw))
		if err != nil || len(plain) != int(raw) {
			return nil, errors.Join(errFrame, err)
		}
		return plain, nil
	}
	return nil, fmt.Errorf("%w: codec %d", errFrame, codec)
}
