package selfplay

import "testing"

// Protects researchers from buying the same games twice: few random plies make
// many repeats, more make few, and they are the repeats of the games played.
func TestOpeningRepeats(t *testing.T) {
	cfg := searchConfig(t, 300, "russian")
	cfg.Player.Nodes = 5
	for _, plies := range []Range{{2, 2}, {4, 6}} {
		cfg.RandomPlies = plies
		got, err := cfg.OpeningRepeats()
		if err != nil || len(got) != 1 || got[0].Variant != "russian" || got[0].Games != 300 {
			t.Fatalf("%+v, %v", got, err)
		}
		games := map[string]bool{}
		for _, g := range play(t, t.TempDir(), cfg, Options{})["russian"] {
			games[g.Moves] = true
		}
		// Two orders of moves can come to one position.
		if same := int64(300 - len(games)); same == 0 || got[0].Repeated < same || got[0].Repeated > same+40 {
			t.Errorf("%d to %d random plies: %d openings repeat, %d games do", plies.Min, plies.Max, got[0].Repeated, same)
		}
	}
	cfg.RandomPlies = Range{20, 20}
	if got, err := cfg.OpeningRepeats(); err != nil || got[0].Repeated != 0 {
		t.Errorf("20 random plies: %+v, %v", got, err)
	}
	random := randomConfig(300, "russian")
	if got, err := random.OpeningRepeats(); err != nil || len(got) != 0 {
		t.Errorf("random players: %+v, %v", got, err)
	}
}
