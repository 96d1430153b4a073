package eventlog

// The format of a log. All of it is fixed by the vectors in testdata; numbers
// are big-endian unless they are varints, CRCs are CRC32C, hashes SHA-256.
//
// # Directory
//
//	LOCK                               flock; holds the writer's process id
//	MANIFEST                           text, see below
//	segments/00000000000000000001.seg  one bbolt file, named by its first seq
//	*.tmp                              a file that was being made; never read
//
// # Manifest
//
//	bindery log            the line that tells it from other files
//	{ JSON }               see type manifest; "version" is its version
//	crc32c 0123abcd        of all bytes before this line
//
// # Segment
//
// Three buckets of one bbolt file:
//
//	meta    "segment"  what the segment says about itself, written once
//	blocks  first seq  block; the bucket's sequence is the last block's number
//	large   seq        a full object that is too big for a block
//
// The bucket's sequence stands on another page than the blocks. It is how an
// open notices that bbolt shows fewer blocks than were committed, as it does
// when a bit of a page's count flips.
//
//	meta     0        1       17       49       57       65       97   101
//	         ├────────┼───────┼────────┼────────┼────────┼────────┼─────┤
//	         │version │log id │ secret │ first  │ first  │ chain  │ CRC │
//	         │        │       │        │ seq    │ block  │ before │     │
//
//	large    0        1       2      10        14    18
//	         ├────────┼───────┼───────┼────────┼─────┼─────── ─ ─
//	         │version │ codec │  seq  │ plain  │ CRC │ object
//	         │        │       │       │ length │     │
//
// A large object's CRC covers all of the value but the CRC itself.
//
// # Block
//
// One block is what one commit took, or 1,024 records of it, or 512 KiB.
//
//	 0        1        2        4        8       16       24
//	 ├────────┼────────┼────────┼────────┼────────┼────────┤
//	 │version │ codecs │ header │ count  │ number │ first  │
//	 │        │        │ length │        │        │ seq    │
//
//	24       28       32       36       40       44       48
//	 ├────────┼────────┼────────┼────────┼────────┼────────┤
//	 │ facts  │ facts  │objects │objects │ facts  │objects │
//	 │ plain  │ stored │ plain  │ stored │ CRC    │ CRC    │
//
//	48                80               112      116
//	 ├─────────────────┼─────────────────┼────────┼───────── ─ ─ ┬──────── ─ ─
//	 │ chain(n-1)      │ chain(n)        │ header │ facts frame  │ objects
//	 │                 │                 │ CRC    │              │ frame
//
// Byte 0 is the version, bytes 2 and 3 the length of the header and the
// header's last four bytes its CRC in every version there will be: so a newer
// block is told from a damaged one. codecs is the facts frame's in the low four
// bits, the objects frame's in the high four: 0 plain, 1 zstd. A CRC of a frame
// covers its stored bytes. An objects frame of length zero means that no record
// has an object.
//
//	facts frame    per record: envelope length (varint), envelope,
//	               subject (part), fact (part)
//	objects frame  per record: object (part)
//	part           length·4 + state (varint), then
//	               state 0: its bytes
//	               state 1: 32 bytes of commitment; the part is withheld
//	               state 2: 32 bytes of commitment; the part is in bucket large
//
// Envelope and subject are protobuf messages with fields in rising order, zero
// values left out, varints in their shortest form; one value has one encoding.
// Fields of higher numbers than these are kept as they are.
//
//	envelope  1 seq   2 kind   3 version (left out when 1)
//	          4 recorded time, nanoseconds since 1970
//	          5 nanoseconds by which that is ahead of the clock
//	          6 cause: varints, each seq minus the cause
//	subject   1 resource   2 namespace   3 name   4 uid (16 bytes)
//
// # Hashes
//
//	salt     = HMAC-SHA256(segment secret, seq (8 bytes) ‖ part number (1 byte));
//	           parts are 1 subject, 2 fact, 3 object
//	C(p)     = SHA-256(salt ‖ p)
//	leaf     = SHA-256(0x00 ‖ envelope ‖ C(subject) ‖ C(fact) ‖ C(object))
//	chain(n) = SHA-256(chain(n-1) ‖ log id (16) ‖ n (8) ‖ first seq (8) ‖
//	           count (4) ‖ leaves); chain(0) is zero
//	record id = ULID of recorded milliseconds and the first 80 bits of
//	           SHA-256(log id ‖ seq (8))
//
// What is hashed is what is stored, never a new encoding of it.
const (
	manifestVersion       = 1
	oldestManifestVersion = 1 // a program reads its own version and the one before

	segmentVersion       = 1
	oldestSegmentVersion = 1
	segmentMetaSize      = 101

	blockVersion       = 1
	oldestBlockVersion = 1
	headerSize         = 116

	asideVersion = 1
	asideHeader  = 18
)
