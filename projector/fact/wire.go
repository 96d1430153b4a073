package fact

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The encoders below write canonical protobuf wire form: fields in ascending
// order, zero values left out, map entries in key order.

func putUint(b []byte, num protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}

func putInt(b []byte, num protowire.Number, v int64) []byte {
	return putUint(b, num, protowire.EncodeZigZag(v))
}

func putBool(b []byte, num protowire.Number, v bool) []byte {
	if !v {
		return b
	}
	return putUint(b, num, 1)
}

func putString(b []byte, num protowire.Number, v string) []byte {
	if v == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), v)
}

// putMessage writes a nested message, an empty one too: its presence counts.
func putMessage(b []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}

func putBytes(b []byte, num protowire.Number, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return putMessage(b, num, v)
}

func putStrings(b []byte, num protowire.Number, list []string) []byte {
	for _, v := range list {
		b = protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), v)
	}
	return b
}

func putMap(b []byte, num protowire.Number, m map[string]string) []byte {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		entry := putString(putString(nil, 1, key), 2, m[key])
		b = putMessage(b, num, entry)
	}
	return b
}

// field is one decoded field: number holds a varint, bytes everything else.
type field struct {
	num    protowire.Number
	number uint64
	bytes  []byte
	isInt  bool
}

func (f field) text() string { return string(f.bytes) }
func (f field) flag() bool   { return f.number != 0 }
func (f field) signed() int64 {
	return protowire.DecodeZigZag(f.number)
}

// walk calls take for each field of a message. Fields of types that no fact
// uses are skipped, so that newer versions may add them.
func walk(what string, b []byte, take func(field) error) error {
	if len(b) > maxBytes {
		return fmt.Errorf("%s of %d bytes: %w", what, len(b), ErrTooLarge)
	}
	for entries := 0; len(b) > 0; entries++ {
		if entries > maxEntries {
			return fmt.Errorf("%s: %w", what, ErrTooLarge)
		}
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("%s: %w: %w", what, ErrMalformed, protowire.ParseError(n))
		}
		b = b[n:]
		f := field{num: num}
		switch typ {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
			f.isInt = true
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
			f.num = 0 // no field of ours
		}
		if n < 0 {
			return fmt.Errorf("%s: field %d: %w: %w", what, num, ErrMalformed, protowire.ParseError(n))
		}
		b = b[n:]
		if err := take(f); err != nil {
			return fmt.Errorf("%s: field %d: %w", what, num, err)
		}
	}
	return nil
}

// entry reads one map entry into m, which it makes when needed.
func entry(m *map[string]string, b []byte) error {
	var key, value string
	err := walk("map entry", b, func(f field) error {
		switch f.num {
		case 1:
			key = f.text()
		case 2:
			value = f.text()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
	return nil
}
