package selfplay

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	mathrand "math/rand/v2"
)

// NewSeed draws a run seed from the operating system, for runs that name none.
func NewSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return binary.LittleEndian.Uint64(b[:])
}

// GameSeed returns the seed of one game of a run: the first eight bytes, lowest
// first, of the SHA-256 of "draughtlab game RUN VARIANT GAME" with both numbers
// in decimal.
func GameSeed(run uint64, variant string, game int64) uint64 {
	return hashSeed(fmt.Sprintf("draughtlab game %d %s %d", run, variant, game))
}

func hashSeed(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:8])
}

// newRand returns the generator of all random choices made with a seed. PCG
// has its sequence fixed by the standard library's promise.
func newRand(seed uint64) *mathrand.Rand {
	return mathrand.New(mathrand.NewPCG(seed, 0x9e3779b97f4a7c15))
}
