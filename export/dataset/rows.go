package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"draughtlab/engine"
	"draughtlab/engine/notation"
)

// GameRow is a row of the games table; Columns says what each column means.
type GameRow struct {
	Game                int64  `parquet:"game,delta"`
	Seed                int64  `parquet:"seed"`
	Profile             string `parquet:"profile,dict"`
	Opening             string `parquet:"opening,dict"`
	OpeningPlies        int32  `parquet:"opening_plies,dict"`
	StartFEN            string `parquet:"start_fen,dict"`
	StartWhiteRunSquare int8   `parquet:"start_white_run_square"`
	StartWhiteRun       int8   `parquet:"start_white_run"`
	StartBlackRunSquare int8   `parquet:"start_black_run_square"`
	StartBlackRun       int8   `parquet:"start_black_run"`
	Moves               string `parquet:"moves"`
	Plies               int32  `parquet:"plies,delta"`
	PlyLimit            int32  `parquet:"ply_limit"`
	Outcome             *int8  `parquet:"outcome,dict"`
	Termination         string `parquet:"termination,dict"`
	TerminationClass    string `parquet:"termination_class,dict"`
	Engine              string `parquet:"engine,dict"`
	WeightsHash         string `parquet:"weights_hash,dict"`
	TablePieces         int8   `parquet:"table_pieces"`
}

// PositionRow is a row of the positions table: a position of a game and the
// move made in it. Columns says what each column means.
type PositionRow struct {
	Game           int64  `parquet:"game,delta"`
	Ply            int32  `parquet:"ply"`
	WhiteMen       int64  `parquet:"white_men"`
	WhiteKings     int64  `parquet:"white_kings,dict"`
	BlackMen       int64  `parquet:"black_men"`
	BlackKings     int64  `parquet:"black_kings,dict"`
	WhiteToMove    bool   `parquet:"white_to_move"`
	WhiteRunSquare int8   `parquet:"white_run_square"`
	WhiteRun       int8   `parquet:"white_run"`
	BlackRunSquare int8   `parquet:"black_run_square"`
	BlackRun       int8   `parquet:"black_run"`
	SinceChange    int16  `parquet:"since_change,dict"`
	SinceMan       int16  `parquet:"since_man,dict"`
	Road           int16  `parquet:"road"`
	LegalMoves     int16  `parquet:"legal_moves,dict"`
	CaptureDue     bool   `parquet:"capture_due"`
	Move           string `parquet:"move,dict"`
	Score          *int16 `parquet:"score"`
	WinIn          *int16 `parquet:"win_in"`
	Depth          int16  `parquet:"depth,dict"`
	Nodes          int32  `parquet:"nodes"`
	Outcome        *int8  `parquet:"outcome"`
	PliesToEnd     int32  `parquet:"plies_to_end"`
	Termination    string `parquet:"termination,dict"`
}

// Result returns the outcome of the game from White's view; Unfinished if the
// program stopped it.
func (r *GameRow) Result() engine.Outcome { return result(r.Outcome) }

// Result returns the outcome of the game the position is from, from White's
// view; Unfinished if the program stopped it.
func (r *PositionRow) Result() engine.Outcome { return result(r.Outcome) }

func result(outcome *int8) engine.Outcome {
	if outcome == nil {
		return engine.Unfinished
	}
	return engine.Outcome(*outcome)
}

// Start returns the position the game began with. It fails if the FEN is none
// of the game or the king runs do not fit it.
func (r *GameRow) Start(v *engine.Variant) (engine.Position, error) {
	p, err := notation.ParseFEN(v, r.StartFEN)
	if err != nil {
		return p, err
	}
	for i, run := range [2][2]int8{{r.StartWhiteRunSquare, r.StartWhiteRun}, {r.StartBlackRunSquare, r.StartBlackRun}} {
		if err := setRun(v, &p, engine.Color(i), run[0], run[1]); err != nil {
			return p, fmt.Errorf("start position: %w", err)
		}
	}
	return p, v.Check(&p)
}

// Position returns the position of a row with its whole rule state. It fails
// if the row's bits are not squares of the variant's board, or if the position
// cannot be one of the game (see engine.Variant.Check).
func (r *PositionRow) Position(v *engine.Variant) (engine.Position, error) {
	var p engine.Position
	var kings [2]uint64
	for i, packed := range [4]int64{r.WhiteMen, r.WhiteKings, r.BlackMen, r.BlackKings} {
		bb, err := v.Board.Unpack(uint64(packed))
		if err != nil {
			return p, fmt.Errorf("game %d ply %d: %w", r.Game, r.Ply, err)
		}
		p.Pieces[i/2] |= bb
		if i%2 == 1 {
			kings[i/2] = bb
		}
	}
	p.Kings = kings[0] | kings[1]
	if !r.WhiteToMove {
		p.SetSide(engine.Black)
	}
	p.SetCounts(uint8(r.SinceChange), uint8(r.SinceMan), uint8(r.Road))
	for i, run := range [2][2]int8{{r.WhiteRunSquare, r.WhiteRun}, {r.BlackRunSquare, r.BlackRun}} {
		if err := setRun(v, &p, engine.Color(i), run[0], run[1]); err != nil {
			return p, fmt.Errorf("game %d ply %d: %w", r.Game, r.Ply, err)
		}
	}
	if err := v.Check(&p); err != nil {
		return p, fmt.Errorf("game %d ply %d: %w", r.Game, r.Ply, err)
	}
	return p, nil
}

// setRun puts a side's king run into a position; square is the bit in dataset
// order plus one, 0 without a run.
func setRun(v *engine.Variant, p *engine.Position, c engine.Color, square, length int8) error {
	if square == 0 && length == 0 {
		return nil
	}
	if square < 1 || length < 1 || length > 3 {
		return fmt.Errorf("no king run has length %d on square %d", length, square)
	}
	bb, err := v.Board.Unpack(1 << (square - 1))
	if err != nil {
		return fmt.Errorf("king run on square %d: %w", square, err)
	}
	for s := engine.Square(0); s < 64; s++ {
		if s.Bit() == bb {
			p.SetRun(c, uint8(length), s)
		}
	}
	return nil
}

// run is the inverse of setRun.
func run(v *engine.Variant, p *engine.Position, c engine.Color) (square, length int8) {
	n, on := p.Run(c)
	if n == 0 {
		return 0, 0
	}
	return int8(v.Board.Index(on) + 1), int8(n)
}

// rowMaker turns games into rows. It plays every game through the rules again,
// so that nothing gets into a dataset, or through Verify, that the rules do
// not allow.
type rowMaker struct {
	spec      Spec
	game      *engine.Game
	at        engine.Position // of the game, here so that it needs no memory of its own
	positions []PositionRow
	text      []byte // of the moves, separated by blanks
	ends      []int  // where each move's text ends
	boards    [4]packedBoard
	start     engine.Position // of the game before, and its FEN: games begin alike
	startFEN  string
}

// packedBoard is a bitboard of a position and the same in dataset order. Most
// boards are those of the position before.
type packedBoard struct{ board, packed uint64 }

func newRowMaker(spec Spec) *rowMaker {
	return &rowMaker{spec: spec, game: engine.NewGame(spec.Variant, spec.Profile, spec.Variant.Start, spec.PlyLimit)}
}

// rows returns the rows of a game; the slice of positions lasts until the next
// call.
func (w *rowMaker) rows(r *Record) (GameRow, []PositionRow, error) {
	row, positions, err := w.replay(r)
	if err != nil {
		return row, nil, fmt.Errorf("%s game %d: %w", w.spec.Variant.Name, r.Number, err)
	}
	return row, positions, nil
}

func (w *rowMaker) replay(r *Record) (GameRow, []PositionRow, error) {
	if err := w.check(r); err != nil {
		return GameRow{}, nil, err
	}
	w.game.Reset(r.Start)
	w.text, w.ends = w.text[:0], w.ends[:0]
	w.positions = slices.Grow(w.positions[:0], len(r.Moves))[:len(r.Moves)]
	numbers := make([]int16, 2*len(r.Moves)) // one array for what the nullable cells point to
	for i, m := range r.Moves {
		w.at = w.game.Position()
		w.position(&w.positions[i], &w.at, len(r.Moves)-i, w.game.Legal())
		w.positions[i].setEval(r.Evals[i], numbers[2*i:])
		w.addMove(&w.at, m, w.game.Legal())
		if err := w.goesOn(&w.at); err != nil {
			return GameRow{}, nil, fmt.Errorf("ply %d: %w", i, err)
		}
		if err := w.game.Play(m); err != nil {
			return GameRow{}, nil, fmt.Errorf("ply %d: %w", i, err)
		}
	}
	if err := w.ending(r); err != nil {
		return GameRow{}, nil, err
	}
	game := w.gameRow(r)
	w.share(&game)
	return game, w.positions, nil
}

// addMove appends the text of a move, if it is legal, to that of the game.
func (w *rowMaker) addMove(p *engine.Position, m engine.Move, legal []engine.Move) {
	if len(w.ends) > 0 {
		w.text = append(w.text, ' ')
	}
	for _, l := range legal {
		if l.Same(m) {
			w.text = notation.AppendMove(w.text, w.spec.Variant, p, l, legal)
			break
		}
	}
	w.ends = append(w.ends, len(w.text))
}

// share fills the cells of the positions that follow from the row of their
// game; the texts of the moves are parts of the game's.
func (w *rowMaker) share(game *GameRow) {
	begin := 0
	for i := range w.positions {
		row := &w.positions[i]
		row.Game, row.Ply = game.Game, int32(i)
		row.Move = game.Moves[begin:w.ends[i]]
		row.Outcome, row.Termination = game.Outcome, game.Termination
		begin = w.ends[i] + 1
	}
}

// setEval fills the cells of what the engine found; cells has room for the two
// nullable ones.
func (r *PositionRow) setEval(e Eval, cells []int16) {
	if e.WinIn != 0 {
		cells[1] = e.WinIn
		r.WinIn = &cells[1]
	} else if e.Searched {
		cells[0] = e.Score
		r.Score = &cells[0]
	}
	r.Depth, r.Nodes = int16(e.Depth), int32(e.Nodes)
}

// check looks at what the rules do not know of.
func (w *rowMaker) check(r *Record) error {
	p := &r.Start
	if err := w.spec.Variant.Check(p); err != nil {
		return fmt.Errorf("start position: %w", err)
	}
	if p.SinceChange() != 0 || p.SinceMan() != 0 || p.Road() != 0 {
		return fmt.Errorf("start position: its draw clocks are not at 0")
	}
	if !isText(r.Opening) {
		return fmt.Errorf("opening %q: its name has control characters or is not UTF-8", r.Opening)
	}
	if len(r.Evals) != len(r.Moves) {
		return fmt.Errorf("%d evaluations for %d moves", len(r.Evals), len(r.Moves))
	}
	if r.OpeningPlies < 0 || r.OpeningPlies > len(r.Moves) || len(r.Moves) > math.MaxInt32 {
		return fmt.Errorf("%d opening plies in %d moves", r.OpeningPlies, len(r.Moves))
	}
	for i, e := range r.Evals {
		if e.Nodes > math.MaxInt32 {
			return fmt.Errorf("ply %d: %d nodes do not fit the column, its limit is %d", i, e.Nodes, math.MaxInt32)
		}
		if !e.Searched && e != (Eval{}) {
			return fmt.Errorf("ply %d: an evaluation of a position that was not searched", i)
		}
		if e.Searched && i < r.OpeningPlies {
			return fmt.Errorf("ply %d: an opening move with an evaluation", i)
		}
	}
	return nil
}

// isText reports whether a text can stand in any of the formats a dataset is
// converted to.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) }

// ending checks that the rules end the game as the record says, or that the
// program may have.
func (w *rowMaker) ending(r *Record) error {
	t, o := w.game.Termination(), w.game.Outcome()
	if t == engine.Ongoing {
		switch {
		case r.Termination == engine.DeadDraw && r.Outcome == engine.Draw,
			r.Termination == engine.TableWin && (r.Outcome == engine.WhiteWins || r.Outcome == engine.BlackWins),
			r.Termination == engine.Adjudicated && r.Outcome >= engine.BlackWins && r.Outcome <= engine.WhiteWins:
			p := w.game.Position()
			if err := w.spec.Referee.contradicts(&p, r.Termination, r.Outcome); err != nil {
				return fmt.Errorf("after %d plies: %w", len(r.Moves), err)
			}
			return nil
		}
	}
	if t != r.Termination || o != r.Outcome {
		return fmt.Errorf("after %d plies the rules say %s %s, the game says %s %s", len(r.Moves), t, o, r.Termination, r.Outcome)
	}
	if t == engine.Ongoing {
		return fmt.Errorf("after %d plies the game is not over", len(r.Moves))
	}
	return nil
}

// goesOn checks that the tables do not end the game with p on the board.
func (w *rowMaker) goesOn(p *engine.Position) error {
	if t, o := w.spec.Referee.Judge(p); t != engine.Ongoing {
		return fmt.Errorf("the endgame tables end the game here (%s %s), but it goes on", t, o)
	}
	return nil
}

// position makes a row of what follows from a position and the number of moves
// still to come; share and setEval fill in the rest.
func (w *rowMaker) position(row *PositionRow, p *engine.Position, toEnd int, legal []engine.Move) {
	*row = PositionRow{
		WhiteMen:    w.pack(0, p.Men(engine.White)),
		WhiteKings:  w.pack(1, p.Pieces[engine.White]&p.Kings),
		BlackMen:    w.pack(2, p.Men(engine.Black)),
		BlackKings:  w.pack(3, p.Pieces[engine.Black]&p.Kings),
		WhiteToMove: p.Side() == engine.White,
		SinceChange: int16(p.SinceChange()),
		SinceMan:    int16(p.SinceMan()),
		Road:        int16(p.Road()),
		LegalMoves:  int16(len(legal)),
		CaptureDue:  len(legal) > 0 && legal[0].IsCapture(),
		PliesToEnd:  int32(toEnd),
	}
	if p.HasRuns() {
		row.WhiteRunSquare, row.WhiteRun = run(w.spec.Variant, p, engine.White)
		row.BlackRunSquare, row.BlackRun = run(w.spec.Variant, p, engine.Black)
	}
}

// pack returns a bitboard in dataset order; slot is where it was last seen.
func (w *rowMaker) pack(slot int, board uint64) int64 {
	b := &w.boards[slot]
	if b.board != board {
		*b = packedBoard{board, w.spec.Variant.Board.Pack(board)}
	}
	return int64(b.packed)
}

func (w *rowMaker) gameRow(r *Record) GameRow {
	if w.startFEN == "" || w.start != r.Start {
		w.start, w.startFEN = r.Start, notation.FormatFEN(w.spec.Variant, &r.Start)
	}
	row := GameRow{
		Game:             r.Number,
		Seed:             int64(r.Seed),
		Profile:          w.spec.Profile.String(),
		Opening:          r.Opening,
		OpeningPlies:     int32(r.OpeningPlies),
		StartFEN:         w.startFEN,
		Moves:            string(w.text),
		Plies:            int32(len(r.Moves)),
		PlyLimit:         int32(w.spec.PlyLimit),
		Outcome:          outcomeCell(r.Outcome),
		Termination:      r.Termination.String(),
		TerminationClass: r.Termination.Class(),
		Engine:           w.spec.Engine,
		WeightsHash:      w.spec.WeightsHash,
	}
	row.StartWhiteRunSquare, row.StartWhiteRun = run(w.spec.Variant, &r.Start, engine.White)
	row.StartBlackRunSquare, row.StartBlackRun = run(w.spec.Variant, &r.Start, engine.Black)
	if byTable(r.Termination) {
		p := w.game.Position()
		row.TablePieces = int8(p.Count())
	}
	return row
}

// outcomeCell returns the nullable cell of an outcome: nil where there is none.
func outcomeCell(o engine.Outcome) *int8 {
	if o == engine.Unfinished {
		return nil
	}
	cell := int8(o)
	return &cell
}
