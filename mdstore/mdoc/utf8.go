package mdoc

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// validUTF8 is utf8.Valid, made for texts of which much is Chinese: two characters of three bytes are looked at together.
func validUTF8(b []byte) bool {
	const (
		ascii = 0x8080808080808080 // none of these bits in ASCII
		mask  = 0xc0c0f0_c0c0f0    // of two characters of three bytes
		three = 0x8080e0_8080e0
	)
	i := 0
	for i+8 <= len(b) {
		switch w := binary.LittleEndian.Uint64(b[i : i+8]); {
		case w&ascii == 0:
			for i += 8; i+32 <= len(b); i += 32 {
				if c := b[i : i+32]; (binary.LittleEndian.Uint64(c)|binary.LittleEndian.Uint64(c[8:])|binary.LittleEndian.Uint64(c[16:])|binary.LittleEndian.Uint64(c[24:]))&ascii != 0 {
					break
				}
			}
		case w&mask == three && free(byte(w)) && free(byte(w>>24)):
			i += 6
		case w&(mask&0xffffff) == three&0xffffff && free(byte(w)):
			i += 3
		case w&0x80 == 0:
			i += bits.TrailingZeros64(w&ascii) / 8
		default:
			_, n := utf8.DecodeRune(b[i:])
			if n == 1 { // not ASCII
				return false
			}
			i += n
		}
	}
	return utf8.Valid(b[i:])
}

// free reports whether any two continuation bytes behind this byte, one from 0xE0 to 0xEF, make a character.
func free(first byte) bool { return first != 0xe0 && first != 0xed }
