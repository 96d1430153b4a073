package eventlog

import (
	"encoding/binary"
	"hash/crc32"
)

func appendAside(b []byte, seq Seq, object []byte) []byte {
	codec, packed := packFrame(object)
	start := len(b)
	b = append(b, asideVersion, byte(codec))
	b = binary.BigEndian.AppendUint64(b, uint64(seq))
	b = binary.BigEndian.AppendUint32(b, uint32(len(object)))
	crc := crc32.Update(checksum(b[start:]), castagnoli, packed)
	b = binary.BigEndian.AppendUint32(b, crc)
	return append(b, packed...)
}

func decodeAside(b []byte, seq Seq, length uint64) ([]byte, error) {
	if len(b) < asideHeader {
		return nil, errTruncated
	}
	crc := crc32.Update(checksum(b[:14]), castagnoli, b[asideHeader:])
	if crc != binary.BigEndian.Uint32(b[14:]) {
		return nil, errFrameCRC
	}
	if b[0] != asideVersion {
		return nil, &UnsupportedVersionError{
			What: "object", Version: int(b[0]), Oldest: asideVersion, Newest: asideVersion, First: seq,
		}
	}
	raw := binary.BigEndian.Uint32(b[10:])
	if Seq(binary.BigEndian.Uint64(b[2:])) != seq || uint64(raw) != length {
		return nil, errBlockPlace
	}
	return unpackFrame(frameCodec(b[1]), b[asideHeader:], raw, MaxObject)
}
