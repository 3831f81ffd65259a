package selfplay

import "testing"

// Protects every dataset ever made: a seed must stay what it was. The numbers
// were computed with Python's hashlib from the text in GameSeed's comment.
func TestGameSeedIsFixed(t *testing.T) {
	for _, c := range []struct {
		run     uint64
		variant string
		game    int64
		want    uint64
	}{
		{0, "croda", 0, 0xd2620c194cf77fd0},
		{1, "croda", 0, 0x45ccb849238fef64},
		{1, "croda", 1, 0x13432b2c0de7f135},
		{1, "russian", 0, 0x53e6920e1ffc890f},
		{1<<64 - 1, "frisian", 9999999, 0x71df9558710198fb},
	} {
		if got := GameSeed(c.run, c.variant, c.game); got != c.want {
			t.Errorf("GameSeed(%d, %s, %d) = %#x, want %#x", c.run, c.variant, c.game, got, c.want)
		}
	}
}

// Protects the random choices made with a seed, for the same reason: the
// sequence of math/rand/v2 must not change under us.
func TestRandomSequenceIsFixed(t *testing.T) {
	rng := newRand(1)
	var got [8]int
	for i := range got {
		got[i] = rng.IntN(100)
	}
	if want := [8]int{93, 72, 90, 88, 70, 35, 95, 67}; got != want {
		t.Errorf("the first numbers of seed 1 are %v, want %v", got, want)
	}
}

// Case sp-seed-truncated: a thousand games have a thousand seeds that use all
// 64 bits.
func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	var ones, zeros uint64
	for g := range int64(1000) {
		s := GameSeed(1, "croda", g)
		seen[s] = true
		ones, zeros = ones|s, zeros|^s
	}
	if len(seen) != 1000 || ones != 1<<64-1 || zeros != 1<<64-1 {
		t.Errorf("%d different seeds, bits seen as 1 %#x, as 0 %#x", len(seen), ones, zeros)
	}
}

// Case sp-constant-seed: runs that name no seed do not share one.
func TestNewSeedDiffers(t *testing.T) {
	if a, b := NewSeed(), NewSeed(); a == b {
		t.Errorf("two seeds drawn are both %d", a)
	}
}
