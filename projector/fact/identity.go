package fact

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"bindery/eventlog"
)

// ParseUID is the 16-byte form of an object UID: the bytes of a canonical
// lower-case UUID, and for any other text a name-based form of its SHA-256
// (version nibble 8, which no API server gives). Empty text is no UID.
func ParseUID(s string) eventlog.UID {
	var uid eventlog.UID
	if s == "" {
		return uid
	}
	if parseUUID(s, &uid) && FormatUID(uid) == s && uid[6]>>4 != 8 {
		return uid
	}
	sum := sha256.Sum256([]byte(s))
	copy(uid[:], sum[:])
	uid[6] = uid[6]&0x0f | 0x80
	return uid
}

// parseUUID reads the 8-4-4-4-12 form.
func parseUUID(s string, uid *eventlog.UID) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	plain := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	_, err := hex.Decode(uid[:], []byte(plain))
	return err == nil
}

// FormatUID is the 8-4-4-4-12 form of a UID, "" of none.
func FormatUID(uid eventlog.UID) string {
	if uid == (eventlog.UID{}) {
		return ""
	}
	h := hex.EncodeToString(uid[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ParseVersion reads a resourceVersion; what is no decimal number is 0, which
// no stored object has.
func ParseVersion(s string) uint64 {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return v
}
