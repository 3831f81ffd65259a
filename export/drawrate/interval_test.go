package drawrate

import (
	"math"
	"testing"
)

var rateMethods = map[string]func(draws, games int64, level float64) (Interval, error){
	"wilson": Wilson, "jeffreys": Jeffreys, "clopper_pearson": ClopperPearson,
}

var differenceMethods = map[string]func(d1, n1, d2, n2 int64, level float64) (Interval, error){
	"newcombe": Newcombe, "miettinen_nurminen": MiettinenNurminen,
}

// Protects what any interval for a rate must do: hold the rate, mirror when draws
// and other games change places, rise with the draws, widen with the level.
func TestRateIntervalProperties(t *testing.T) {
	for name, f := range rateMethods {
		for _, games := range []int64{1, 2, 5, 37, 208} {
			previous := Interval{-1, -1}
			for draws := range games + 1 {
				got, err := f(draws, games, 0.95)
				wide, wideErr := f(draws, games, 0.99)
				mirror, mirrorErr := f(games-draws, games, 0.95)
				if err != nil || wideErr != nil || mirrorErr != nil {
					t.Fatal(name, draws, games, err, wideErr, mirrorErr)
				}
				rate, _ := Rate(draws, games)
				inner := draws > 0 && draws < games // Jeffreys leaves out the rate at the ends
				if got.Low < 0 || got.High > 1 || (inner || name != "jeffreys") && (got.Low > rate || got.High < rate) {
					t.Errorf("%s %d/%d: %v", name, draws, games, got)
				}
				wantInterval(t, name+" mirrored", mirror, [2]float64{1 - got.High, 1 - got.Low}, 1e-14)
				if got.Low <= previous.Low || got.High <= previous.High {
					t.Errorf("%s %d/%d: %v does not rise from %v", name, draws, games, got, previous)
				}
				if wide.High-wide.Low <= got.High-got.Low {
					t.Errorf("%s %d/%d: level 0.99 gives %v inside %v", name, draws, games, wide, got)
				}
				previous = got
			}
		}
	}
}

// Protects what any interval for a difference must do: hold the difference,
// change sign when the sides change places, narrow with more games.
func TestDifferenceIntervalProperties(t *testing.T) {
	for name, f := range differenceMethods {
		for _, c := range [][4]int64{{0, 9, 0, 4}, {9, 9, 0, 4}, {3, 9, 2, 4}, {1, 1, 0, 1}, {40, 1000, 745, 1000}} {
			got, err := f(c[0], c[1], c[2], c[3], 0.95)
			back, backErr := f(c[2], c[3], c[0], c[1], 0.95)
			more, moreErr := f(9*c[0], 9*c[1], 9*c[2], 9*c[3], 0.95)
			if err != nil || backErr != nil || moreErr != nil {
				t.Fatal(name, c, err, backErr, moreErr)
			}
			p1, _ := Rate(c[0], c[1])
			p2, _ := Rate(c[2], c[3])
			if got.Low > p1-p2+1e-15 || got.High < p1-p2-1e-15 || got.Low < -1 || got.High > 1 {
				t.Errorf("%s %v: %v", name, c, got)
			}
			wantInterval(t, name+" turned round", back, [2]float64{-got.High, -got.Low}, 1e-14)
			if more.High-more.Low >= got.High-got.Low {
				t.Errorf("%s %v: nine times the games give %v after %v", name, c, more, got)
			}
		}
	}
}

// Protects the methods' identity: the values printed in Newcombe 1998, table II.
func TestDifferencesAsPublished(t *testing.T) {
	tests := []struct {
		d1, n1, d2, n2              int64
		miettinenNurminen, newcombe [2]float64
	}{
		{56, 70, 48, 80, [2]float64{0.0528, 0.3382}, [2]float64{0.0524, 0.3339}},
		{9, 10, 3, 10, [2]float64{0.1700, 0.8406}, [2]float64{0.1705, 0.8090}},
		{5, 56, 0, 29, [2]float64{-0.0326, 0.1933}, [2]float64{-0.0381, 0.1926}},
		{0, 10, 0, 20, [2]float64{-0.1658, 0.2844}, [2]float64{-0.1611, 0.2775}},
		{10, 10, 0, 20, [2]float64{0.7156, 1}, [2]float64{0.6791, 1}},
	}
	for _, test := range tests {
		for name, want := range map[string][2]float64{
			"miettinen_nurminen": test.miettinenNurminen, "newcombe": test.newcombe,
		} {
			got, err := differenceMethods[name](test.d1, test.n1, test.d2, test.n2, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			wantInterval(t, name, got, want, 0.5001e-4)
		}
	}
}

// Protects against silent answers to senseless questions.
func TestIntervalErrors(t *testing.T) {
	for _, level := range []float64{0, 1, -0.5, 95, math.NaN()} {
		for name, f := range rateMethods {
			if _, err := f(1, 2, level); err == nil {
				t.Errorf("%s accepts level %v", name, level)
			}
		}
	}
	for name, f := range differenceMethods {
		if _, err := f(1, 2, 3, 2, 0.95); err == nil {
			t.Errorf("%s accepts 3 draws in 2 games", name)
		}
		if _, err := f(-1, 2, 1, 2, 0.95); err == nil {
			t.Errorf("%s accepts -1 draws", name)
		}
		if got, err := f(0, 0, 1, 2, 0.95); err != nil || got != (Interval{-1, 1}) {
			t.Errorf("%s of no games: %v, %v", name, got, err)
		}
	}
}
