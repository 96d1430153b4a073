package eventlog

// Bounds of the log. Encoders refuse what is over them with a LimitError,
// decoders with a CorruptError, so that no byte of a damaged or hostile file
// decides how much memory is taken.
const (
	// MaxBlockRecords and MaxBlockBytes are where a block is cut (design.md
	// section 2). A block is the unit that is replayed, sent to the hub and
	// lost to a damaged page, so it stays small; one record over the byte
	// bound still makes a block of its own.
	MaxBlockRecords = 1024
	MaxBlockBytes   = 512 << 10

	// MaxInlineObject is the compressed size above which a full object leaves
	// its block for the side bucket. No observation is refused for size.
	MaxInlineObject = 512 << 10

	// maxInlineRaw is the plain size above which it leaves too, so that a
	// block of well-compressing objects still unpacks into bounded memory.
	maxInlineRaw = 4 << 20

	// maxFrameRaw is where a block is cut by plain size, for the same reason.
	maxFrameRaw = 16 << 20

	// MaxFact bounds one record's fact. API objects end at a few MiB; the rest
	// is room for a list's fact that names everything the list held.
	MaxFact = 16 << 20

	// MaxObject bounds one record's full object: far above what an API server
	// takes, small enough to decode anywhere.
	MaxObject = 64 << 20

	// MaxName bounds a subject's namespace and name. Kubernetes allows 253.
	MaxName = 1 << 10

	// MaxCauses bounds what one record may name as its cause.
	MaxCauses = 1 << 12

	// maxEnvelope and maxSubject bound the encoded envelope and subject,
	// unknown fields of a newer version included.
	maxEnvelope = 1 << 16
	maxSubject  = 1 << 13

	// maxFrameDecoded is the most that a frame may unpack to: a cut frame and
	// one more record of the largest kind.
	maxFrameDecoded = maxFrameRaw + MaxFact + maxEnvelope + maxSubject + 64

	// maxPending bounds the plain bytes that wait for the committer. Submit
	// blocks above it: when the disk stalls, nothing is dropped in memory and
	// the watch is read no further.
	maxPending = 64 << 20

	// recordCost is what a record counts towards maxPending beside its bytes.
	recordCost = 256
)
