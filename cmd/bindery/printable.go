package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes text from elsewhere fit for a terminal: control characters,
// those that turn the direction of writing, and bytes that are no UTF-8 become
// visible escapes. cli-runtime's EscapeTerminal knows ESC and CR only.
func printable(s string) string {
	clean := true
	for _, r := range s {
		if hostile(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\x1b':
			b.WriteString("^[")
		case hostile(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hostile(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// hostile reports whether a rune may not reach a terminal as it is.
func hostile(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) ||
		r == '\u2028' || r == '\u2029'
}

// cleaned is the answer with every text in it made printable. It goes through
// JSON, so that no field can be forgotten.
func cleaned[T any](answer T) (T, error) {
	var out T
	data, err := json.Marshal(answer)
	if err != nil {
		return out, err
	}
	var tree any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return out, err
	}
	if data, err = json.Marshal(scrub(tree)); err != nil {
		return out, err
	}
	return out, json.Unmarshal(data, &out)
}

// scrub makes every string value of a JSON tree printable.
func scrub(v any) any {
	switch v := v.(type) {
	case string:
		return printable(v)
	case []any:
		for i := range v {
			v[i] = scrub(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = scrub(v[key])
		}
	}
	return v
}

// asciiControl turns what encoding/json leaves bare (DEL and the C1 controls,
// which a terminal obeys) into JSON escapes; the JSON says the same.
func asciiControl(data []byte) []byte {
	var b strings.Builder
	for _, r := range string(data) {
		if r != '\n' && hostile(r) && r != utf8.RuneError && r <= 0xffff {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return []byte(b.String())
}
