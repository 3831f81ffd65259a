package frisian_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/frisian"
	"draughtlab/engine/notation"
)

// The tests are named after the articles of engine/RULES.md; each protects its
// article.

func TestF1(t *testing.T) {
	v := frisian.Variant()
	start := parse(t, "W:W31-50:B1-20")
	if v.Start != start {
		t.Errorf("start %s", notation.FormatFEN(v, &v.Start))
	}
	if len(v.Board.Squares()) != 50 {
		t.Errorf("%d squares, want 50", len(v.Board.Squares()))
	}
	for name, want := range map[string][2]int{"1": {1, 9}, "5": {9, 9}, "6": {0, 8}, "28": {4, 4}, "46": {0, 0}, "50": {8, 0}} {
		s, err := v.Board.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if x, y := v.Board.XY(s); x != want[0] || y != want[1] {
			t.Errorf("square %s is on file %d, rank %d, want %v", name, x, y, want)
		}
	}
	for _, name := range []string{"0", "51", "01", "a1", ""} {
		if _, err := v.Board.Parse(name); err == nil {
			t.Errorf("%q was read as a square", name)
		}
	}
}

func TestF2(t *testing.T) {
	wantMoves(t, "W:W28,46:B1", "28-22", "28-23", "46-41")
	wantMoves(t, "B:W50:B23,16", "16-21", "23-28", "23-29")
}

func TestF3(t *testing.T) {
	for over, to := range map[string]string{ // all eight directions from 28
		"22": "17", "23": "19", "32": "37", "33": "39", "27": "26", "29": "30", "18": "8", "38": "48",
	} {
		wantMoves(t, "W:W28:B"+over, "28x"+to)
		wantMoves(t, "W:W28:BK"+over, "28x"+to)
		wantMoves(t, "B:W"+over+":B28", "28x"+to+map[string]string{"48": " =K"}[to])
	}
	wantMoves(t, "W:W33:B32", "33x31")
	wantMoves(t, "W:W42:B32", "42x22")
	// No wrapping round the edge, and nothing behind the last row.
	wantMoves(t, "W:W26:B16", "26x6")
	wantMoves(t, "W:W16:B6", "16-11")
	wantMoves(t, "W:W31:B30", "31-26", "31-27")
	wantMoves(t, "W:W30:B31", "30-24", "30-25")
	wantMoves(t, "W:W47:BK46", "47-41", "47-42")
	wantMoves(t, "W:W35,24:B6,36", "24-19", "24-20", "35-30")
	// Blocked behind, or too far away.
	wantMoves(t, "W:W28,19:B23", "19-13", "19-14", "28-22")
	wantMoves(t, "W:W28:B19", "28-22", "28-23")
}

func TestF4(t *testing.T) {
	wantMoves(t, "W:WK28:B5", strings.Fields("28-6 28-11 28-17 28-22 28-10 28-14 28-19 28-23"+
		" 28-32 28-37 28-41 28-46 28-33 28-39 28-44 28-50")...)
	wantMoves(t, "W:WK46,37:B5", "46-41", "37-31", "37-32")
}

func TestF5(t *testing.T) {
	wantMoves(t, "W:WK31:B33", "31x34", "31x35")
	wantMoves(t, "W:WK46:B28", "46x23", "46x19", "46x14", "46x10", "46x5")
	wantMoves(t, "W:WK48:B28", "48x18", "48x8") // along a file, dark squares only
	wantMoves(t, "W:WK46:B28,14", "46x19x10", "46x19x5")
	wantMoves(t, "W:WK46:B28,23", "46-41", "46-37", "46-32") // two in a row
	wantMoves(t, "W:WK48:BK8", "48-42", "48-37", "48-31", "48-26", "48-43", "48-39", "48-34", "48-30", "48-25")
}

func TestF6(t *testing.T) {
	// Two men rather than one king, one king rather than one man.
	wantMoves(t, "W:W25,28:B23,24,K35", "28x19x30")
	wantMoves(t, "W:W32,44,K46:B41,K40", "44x35")
	// A king and a man rather than two men, three men rather than those.
	wantMoves(t, "W:WK5,49:B12,18,28,K37", "5x32x41", "5x32x46")
	wantMoves(t, "W:WK5,35:B4,K20,25,31,44", "5x1x41x45")
	// Two kings rather than three men; three rather than five, not than six.
	wantMoves(t, "W:WK42,50:B10,14,22,25,K47,K49", "50x48x46")
	wantMoves(t, "W:WK25,29:B13,17,21,22,23,K33,K41,K42", "29x38x47x36")
}

func TestF7(t *testing.T) {
	// At equal value the king must capture, the man may not.
	wantMoves(t, "W:W32,44,K46:B40,41", "46x37")
	wantMoves(t, "W:W18,K46:BK19,K30,44", strings.Fields("46x10x40x49 46x10x50x11 46x10x50x17"+
		" 46x10x50x22 46x10x50x28 46x10x50x33 46x10x50x39 46x10x50x6")...)
	// The man takes more than the king can, or the king can take nothing.
	wantMoves(t, "W:WK6,37:B1,9,18,27", "37x17x19")
	wantMoves(t, "W:W44,K50:B39", "44x33")
	// Two kings choose freely.
	wantMoves(t, "W:WK1,K5:B11,15", "1x21", "1x31", "1x41", "5x25", "5x35", "5x45")
}

func TestF8(t *testing.T) {
	wantMoves(t, "W:W7:B31", "7-1 =K", "7-2 =K")
	wantMoves(t, "B:W20:B44", "44-49 =K", "44-50 =K")
	wantMoves(t, "W:W12:B8", "12x3 =K")
	// Through the base: it goes on as a man and stays one.
	wantMoves(t, "W:W12:B8,9", "12x3x14")
	wantMoves(t, "W:W12:B8,4", "12x3x5 =K")
	// The new king does not go on as a king.
	wantMoves(t, "W:W12:B8,20", "12x3 =K")
	g := engine.NewGame(frisian.Variant(), engine.Basic, parse(t, "W:W12:B8,9,31"), 0)
	play(t, g, "12x14")
	if p := g.Position(); p.Kings != 0 {
		t.Error("a man that only passed the base became a king")
	}
}

// TestF9 plays quiet moves of White's kings A (46) and B (47) and man m (45)
// against a Black that does no harm, and looks at the run and at what A may do.
func TestF9(t *testing.T) {
	for _, c := range []struct {
		moves string
		run   string // piece and length
		bound bool   // A may not make a quiet move
	}{
		{"", "0", false},
		{"A", "A1", false},
		{"AA", "A2", false},
		{"AAA", "A3", true},
		{"AAAB", "B1", false}, // another king
		{"AAAm", "0", false},  // a man
		{"AAm", "0", false},
		{"ABA", "A1", false}, // not in a row
		{"AABAA", "A2", false},
		{"AAABAAA", "A3", true}, // again
		{"AAABBB", "B3", false},
		{"AAAmAAA", "A3", true},
	} {
		t.Run(c.moves, func(t *testing.T) {
			for seed := range uint64(1000) {
				g := engine.NewGame(frisian.Variant(), engine.Basic, parse(t, "W:W45,K46,K47:B6,K1"), 0)
				if at, ok := playRun(t, g, c.moves, rand.New(rand.NewPCG(seed, 5))); ok {
					checkRun(t, g, at, c.run, c.bound)
					return
				}
			}
			t.Fatal("no such game found")
		})
	}
}

// playRun plays quiet moves of the pieces that moves names, and harmless ones
// of Black between them. It returns where A, B and m stand.
func playRun(t *testing.T, g *engine.Game, moves string, r *rand.Rand) (map[rune]engine.Square, bool) {
	t.Helper()
	at := map[rune]engine.Square{'A': square(t, "46"), 'B': square(t, "47"), 'm': square(t, "45")}
	for _, piece := range moves {
		this := func(_ int, m engine.Move, _ *engine.Position) bool { return m.From() == at[piece] }
		if !playSafe(t, g, r, this) {
			return nil, false
		}
		at[piece] = g.Moves()[len(g.Moves())-1].To()
		if !playSafe(t, g, r, nil) {
			return nil, false
		}
	}
	return at, g.Termination() == engine.Ongoing
}

// checkRun compares the run of White, and whether A is bound.
func checkRun(t *testing.T, g *engine.Game, at map[rune]engine.Square, run string, bound bool) {
	t.Helper()
	p := g.Position()
	length, on := p.Run(engine.White)
	got := fmt.Sprint(length)
	if got != "0" {
		got = "?" + got
		for name, s := range at {
			if s == on {
				got = string(name) + got[1:]
			}
		}
	}
	if got != run {
		t.Errorf("run %s, want %s", got, run)
	}
	moves, fromA := g.Legal(), 0
	for _, m := range moves {
		if m.From() == at['A'] {
			fromA++
		}
	}
	if len(moves) == 0 || (fromA == 0) != bound {
		t.Errorf("%d of %d moves are A's; bound should be %v", fromA, len(moves), bound)
	}
}

// TestF9Changes: what ends a run without a quiet move of its side.
func TestF9Changes(t *testing.T) {
	for _, c := range []struct {
		name, fen, runs, move string
		after                 string // runs after the move
	}{
		{"its own capture", "W:W36,K50:B28,5", `{"W":[50,3]}`, "50x22", `{}`},
		{"the next move begins anew", "W:W36,K50:B5", `{}`, "50-44", `{"W":[44,1]}`},
		{"a man's capture", "W:W36,K50:B31,5", `{"W":[50,3]}`, "36x27", `{}`},
		{"the king is captured", "B:W36,K28:B23", `{"W":[28,2]}`, "23x32", `{}`},
		{"another king is captured", "B:W36,K28,K50:B23", `{"W":[50,2]}`, "23x32", `{"W":[50,2]}`},
		{"the last man is captured", "B:W32,K50:B27", `{"W":[50,3]}`, "27x38", `{}`},
		{"a man is captured, not the last", "B:W32,36,K50:B27", `{"W":[50,3]}`, "27x38", `{"W":[50,3]}`},
		{"a promotion", "W:W7,36,K50:B15", `{"W":[50,2]}`, "7-1", `{}`},
		{"the promotion of the last man", "W:W7,K50:B15", `{"W":[50,2]}`, "7-1", `{}`},
		{"without men nothing runs", "W:WK7,K50:B15", `{}`, "50-44", `{}`},
		{"each side has its own", "W:W36,K50:B15,K1", `{"W":[50,2],"B":[1,3]}`, "50-44", `{"W":[44,3],"B":[1,3]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := engine.NewGame(frisian.Variant(), engine.Basic, parseRuns(t, c.fen, c.runs), 0)
			play(t, g, c.move)
			p := g.Position()
			if got := notation.FormatRuns(frisian.Variant(), &p); got != c.after {
				t.Errorf("runs %s, want %s", got, c.after)
			}
		})
	}
}

// TestF9Blocked: what a blocked king may do.
func TestF9Blocked(t *testing.T) {
	// Only the man moves; after two moves the king still may.
	wantMovesAt(t, parseRuns(t, "W:W36,K28:B5", `{"W":[28,3]}`), "36-31")
	wantMovesAt(t, parseRuns(t, "W:W18,K37:BK35", `{"W":[37,3]}`), "18-12", "18-13")
	if p := parseRuns(t, "W:W36,K50:B5", `{"W":[50,2]}`); len(frisian.Variant().Generate(&p, nil)) != 10 {
		t.Error("after two moves the king may make a third")
	}
	// It may capture, and its captures count for value (F6) and for the king's
	// precedence (F7).
	wantMovesAt(t, parseRuns(t, "W:W36,K50:B28,5", `{"W":[50,3]}`), "50x22", "50x17", "50x11", "50x6")
	for _, fen := range []string{"W:W18,K46:BK19,K30,44", "W:W32,44,K46:B40,41"} {
		free := parse(t, fen)
		blocked := parseRuns(t, fen, `{"W":[46,3]}`)
		v := frisian.Variant()
		if a, b := v.Generate(&free, nil), v.Generate(&blocked, nil); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: blocked %v, free %v", fen, b, a)
		}
	}
	// Another king is free.
	wantMovesAt(t, parseRuns(t, "W:W6,K47,K26:B1", `{"W":[26,3]}`),
		"47-41", "47-36", "47-42", "47-38", "47-33", "47-29", "47-24", "47-20", "47-15")
	// With no other move the player loses (G3).
	g := engine.NewGame(frisian.Variant(), engine.Basic, parseRuns(t, "W:W6,K47:B1", `{"W":[47,3]}`), 0)
	wantEnd(t, g, engine.NoMoves, engine.BlackWins)
	g = engine.NewGame(frisian.Variant(), engine.Basic, parseRuns(t, "W:W6,K47:B1", `{"W":[47,2]}`), 0)
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
}

// TestF9WithoutMen: a side without men is never bound, a lone king included.
func TestF9WithoutMen(t *testing.T) {
	g := shuffle(t, engine.Basic, "B:WK1,K2:BK28", 6, nil)
	if len(g.Legal()) == 0 {
		t.Error("after three moves the lone king must still move")
	}
	p := parse(t, "W:WK46,K28:BK43")
	p.SetRun(engine.White, 3, square(t, "28"))
	if n := len(frisian.Variant().Generate(&p, nil)); n != 19 {
		t.Errorf("%d moves of two kings without men, want 19", n)
	}
}

func TestF10(t *testing.T) {
	for _, profile := range []engine.Profile{engine.Basic, engine.Federation} { // F11
		for fen, by := range map[string]engine.Termination{
			"W:WK28:BK5":     engine.Lone1v1,
			"B:WK28:BK4":     engine.Lone1v1,
			"B:WK28:BK5":     engine.Ongoing, // it can capture
			"W:WK28:BK23":    engine.Ongoing, // it can capture
			"B:WK28:BK23":    engine.Ongoing,
			"W:WK46:BK5":     engine.Ongoing, // the player to move loses
			"B:WK46:BK5":     engine.Ongoing,
			"W:WK5:BK46":     engine.Ongoing,
			"B:WK5:BK46":     engine.Ongoing,
			"W:WK46,K47:BK5": engine.Ongoing,
			"W:WK28:B5":      engine.Ongoing, // a man
			"W:W28:BK5":      engine.Ongoing,
		} {
			g := engine.NewGame(frisian.Variant(), profile, parse(t, fen), 0)
			outcome := engine.Unfinished
			if by == engine.Lone1v1 {
				outcome = engine.Draw
			}
			wantEnd(t, g, by, outcome)
		}
		// On 5 and 46 every move loses the king.
		p := parse(t, "B:WK46:BK5")
		for _, m := range frisian.Variant().Generate(&p, nil) {
			q := p.Make(m)
			replies := frisian.Variant().Generate(&q, nil)
			if len(replies) == 0 || !replies[0].IsCapture() {
				t.Errorf("after %s White cannot capture", notation.FullMove(frisian.Variant(), &p, m))
			}
		}
		// The draw comes the moment the ending stands, after a capture too.
		g := engine.NewGame(frisian.Variant(), profile, parse(t, "W:WK46:BK28,5"), 0)
		wantEnd(t, g, engine.Ongoing, engine.Unfinished)
		play(t, g, "46x19")
		wantEnd(t, g, engine.Ongoing, engine.Unfinished) // a man is left
	}
}

const twoKings = "WK46,K47:BK15"

func TestF10SevenMoves(t *testing.T) {
	for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
		for _, fen := range []string{"W:" + twoKings, "B:" + twoKings, "W:WK15:BK46,K47"} {
			g := shuffle(t, profile, fen, 13, nil)
			wantEnd(t, g, engine.Ongoing, engine.Unfinished)
			if !playSafe(t, g, rand.New(rand.NewPCG(1, 1)), nil) {
				t.Fatal("no quiet move")
			}
			wantEnd(t, g, engine.Kings2v1, engine.Draw)
		}
	}
	// Repetition waits for the article.
	g := engine.NewGame(frisian.Variant(), engine.Basic, parse(t, "W:"+twoKings), 0)
	for len(g.Moves()) < 12 {
		play(t, g, "46-41", "15-4", "41-46", "4-15")
	}
	play(t, g, "46-41")
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	play(t, g, "15-4")
	wantEnd(t, g, engine.Kings2v1, engine.Draw)
}

// TestF10LastMove: a capture on ply 14 by the two wins, before the draw (G3);
// one by the lone king is drawn all the same: both have made their moves. Two
// plies earlier it leaves king against king.
func TestF10LastMove(t *testing.T) {
	won, captured, early := false, false, false
	for n := range uint64(40) {
		r := rand.New(rand.NewPCG(n, 9))
		some := func(int, engine.Move, *engine.Position) bool { return r.IntN(3) > 0 }
		if g := shuffle(t, engine.Basic, "B:"+twoKings, 12, some); !won && giveAway(t, g, true) {
			won = true
			wantEnd(t, g, engine.NoMoves, engine.WhiteWins)
			if len(g.Moves()) != 14 {
				t.Errorf("%d plies, want 14", len(g.Moves()))
			}
		}
		if g := shuffle(t, engine.Basic, "W:"+twoKings, 12, some); !captured && giveAway(t, g, false) {
			captured = true
			wantEnd(t, g, engine.Kings2v1, engine.Draw)
		}
		if g := shuffle(t, engine.Basic, "W:"+twoKings, 10, some); !early && giveAway(t, g, false) {
			early = true
			if g.Termination() == engine.Kings2v1 {
				t.Error("drawn by two kings v one, though only one king a side is left")
			}
		}
	}
	if !won || !captured || !early {
		t.Errorf("on ply 14: a win seen %v, a capture seen %v, and on ply 12 %v", won, captured, early)
	}
}

// giveAway plays a quiet move that lets the opponent capture, and the capture;
// all tells whether it is to leave the mover without pieces. It returns false
// if there is no such move.
func giveAway(t *testing.T, g *engine.Game, all bool) bool {
	t.Helper()
	p := g.Position()
	for _, m := range g.Legal() {
		q := p.Make(m)
		for _, reply := range frisian.Variant().Generate(&q, nil) {
			if r := q.Make(reply); !reply.IsCapture() || (r.Own() == 0) != all {
				continue
			}
			if g.Play(m) != nil || g.Play(reply) != nil {
				t.Fatal("a legal move was refused")
			}
			return true
		}
	}
	return false
}

// TestF10Count: which endings count, from when on, and what the clock says.
func TestF10Count(t *testing.T) {
	v := frisian.Variant()
	for fen, counts := range map[string]bool{
		"W:WK46,K47:BK15":     true,
		"B:WK46,K47:BK15":     true,
		"W:WK15:BK46,K47":     true,
		"W:WK46,47:BK15":      false,
		"W:WK46,K47:B15":      false,
		"W:WK46,K47,36:BK15":  false,
		"W:WK46,K47,K48:BK15": false,
		"W:WK46,K47:BK15,K14": false,
	} {
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			p := parse(t, fen)
			for plies := range uint8(20) {
				p.SetCounts(plies, plies, 0)
				var want engine.Ending
				if counts {
					want.Clock = uint32(plies) + 1
					if plies >= 14 {
						want.Draw = engine.Kings2v1
					}
				}
				if got := v.Ending(&p, profile); got != want {
					t.Errorf("%s %s after %d plies: %+v, want %+v", profile, fen, plies, got, want)
				}
			}
		}
	}
	// The count begins with the move that brings the ending about.
	for _, begin := range [][2]string{
		{"W:WK36,7:BK50", "7-1"},
		{"W:WK36,K46:BK6,28", "46x23"},
		{"B:WK36,K46,23:BK5", "5x28"},
	} {
		p := parse(t, begin[0])
		p.SetCounts(11, 11, 0)
		g := engine.NewGame(v, engine.Basic, p, 0)
		play(t, g, begin[1])
		p = g.Position()
		if e := v.Ending(&p, engine.Basic); e != (engine.Ending{Clock: 1}) {
			t.Errorf("%s after %s: %+v, want the clock at 1", begin[0], begin[1], e)
		}
	}
}

// TestF11 compares the federation's words with the sheet's (F10) over all
// placements of king against king: drawn unless a king can capture now, or
// will necessarily be captured after the next move.
func TestF11(t *testing.T) {
	v := frisian.Variant()
	canCapture := func(p *engine.Position) bool {
		moves := v.Generate(p, nil)
		return len(moves) > 0 && moves[0].IsCapture()
	}
	placements, now, next := 0, 0, 0
	for _, a := range v.Board.Squares() {
		for _, b := range v.Board.Squares() {
			if a == b {
				continue
			}
			for side := range engine.Color(2) {
				p := engine.Position{Pieces: [2]uint64{a.Bit(), b.Bit()}, Kings: a.Bit() | b.Bit(), State: engine.ToMove(side)}
				captures, doomed := canCapture(&p), true
				for _, m := range v.Generate(&p, nil) {
					q := p.Make(m)
					doomed = doomed && canCapture(&q)
				}
				want := engine.Ending{Draw: engine.Lone1v1}
				if captures || doomed {
					want = engine.Ending{}
				}
				if side == engine.White {
					placements++
					if captures {
						now++
					} else if doomed {
						next++
					}
				}
				for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
					if got := v.Ending(&p, profile); got != want {
						t.Errorf("%s %s: %+v, want %+v", profile, notation.FormatFEN(v, &p), got, want)
					}
				}
			}
		}
	}
	if placements != 2450 || now != 648 || next != 2 {
		t.Errorf("%d placements, %d with a capture, %d lost on the next move, want 2450, 648, 2", placements, now, next)
	}
	if v.RepetitionIsArticle(engine.Basic) || v.RepetitionIsArticle(engine.Federation) {
		t.Error("Frisian has no article on repetition")
	}
}

func TestF12(t *testing.T) {
	g := engine.NewGame(frisian.Variant(), engine.Basic, frisian.Variant().Start, 0)
	play(t, g, "31-26", "19-23", "32-28", "23x32")
	wantMovesAt(t, g.Position(), "38x27", "37x28", "42x22", "33x31")
	wantMoves(t, "W:W31:B27,18,25,K14,K40", "31x22x13x15x35x44")
	wantMoves(t, "W:W31:B27,18,25,42,K14,K40", "31x22x13x15x35x44")
	wantMoves(t, "W:WK31:B33", "31x34", "31x35")
	wantMoves(t, "W:WK4:B15,22,32,41", "4x31x35x5")
}

// TestF13: a position repeats only with the same king runs. White's kings go
// out and back in turn: the pieces stand the same after every fourth ply, the
// runs every other time.
func TestF13(t *testing.T) {
	g := engine.NewGame(frisian.Variant(), engine.Basic, parse(t, "W:W36,K46,K50:BK15"), 0)
	for round := range 4 {
		if round%2 == 0 {
			play(t, g, "46-41", "15-4", "41-46", "4-15")
		} else {
			play(t, g, "50-44", "15-4", "44-50", "4-15")
		}
	}
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	play(t, g, "46-41") // the third time with a run of one move by this king
	wantEnd(t, g, engine.Repetition, engine.Draw)
	a := parseRuns(t, "W:W36,K46,K50:BK15", `{"W":[46,2]}`)
	b := parseRuns(t, "W:W36,K46,K50:BK15", `{"W":[50,2]}`)
	c := parse(t, "W:W36,K46,K50:BK15")
	if a.Key() == b.Key() || a.Key() == c.Key() || b.Key() == c.Key() {
		t.Error("positions with different king runs have the same key")
	}
	if keys := g.Keys(); keys[0] != c.Key() || keys[4] != a.Key() || keys[8] != b.Key() {
		t.Error("the run of the game is not that of its moves")
	}
}
