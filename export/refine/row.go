package refine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"draughtlab/engine"
	"draughtlab/export/dataset"
)

// Row is a position of a training set with what became of it in one game or in
// several. Columns says what each column means.
type Row struct {
	WhiteMen       int64 `parquet:"white_men"`
	WhiteKings     int64 `parquet:"white_kings"`
	BlackMen       int64 `parquet:"black_men"`
	BlackKings     int64 `parquet:"black_kings"`
	WhiteToMove    bool  `parquet:"white_to_move"`
	WhiteRunSquare int8  `parquet:"white_run_square,dict"`
	WhiteRun       int8  `parquet:"white_run,dict"`
	BlackRunSquare int8  `parquet:"black_run_square,dict"`
	BlackRun       int8  `parquet:"black_run,dict"`
	SinceChange    int16 `parquet:"since_change,dict"`
	SinceMan       int16 `parquet:"since_man,dict"`
	Road           int16 `parquet:"road,dict"`
	LegalMoves     int16 `parquet:"legal_moves,dict"`
	CaptureDue     bool  `parquet:"capture_due"`
	Count          int64 `parquet:"count,dict"`
	WhiteWins      int64 `parquet:"white_wins,dict"`
	Draws          int64 `parquet:"draws,dict"`
	BlackWins      int64 `parquet:"black_wins,dict"`
	Scored         int64 `parquet:"scored,dict"`
	ScoreSum       int64 `parquet:"score_sum,dict"`
	ProvenWins     int64 `parquet:"proven_wins,dict"`
	ProvenLosses   int64 `parquet:"proven_losses,dict"`
	Source         int32 `parquet:"source,dict"`
	Game           int64 `parquet:"game"`
	Ply            int32 `parquet:"ply,dict"`
	OpeningPlies   int32 `parquet:"opening_plies,dict"`
	Opening        int64 `parquet:"opening,dict"`
	OneOpening     bool  `parquet:"one_opening"`
}

// Decided returns how many of the row's positions are from games with an
// outcome.
func (r *Row) Decided() int64 { return r.WhiteWins + r.Draws + r.BlackWins }

// Position returns the position of a row with its whole rule state. It fails
// where dataset.PositionRow.Position does.
func (r *Row) Position(v *engine.Variant) (engine.Position, error) {
	p := dataset.PositionRow{
		Game: r.Game, Ply: r.Ply,
		WhiteMen: r.WhiteMen, WhiteKings: r.WhiteKings, BlackMen: r.BlackMen, BlackKings: r.BlackKings,
		WhiteToMove:    r.WhiteToMove,
		WhiteRunSquare: r.WhiteRunSquare, WhiteRun: r.WhiteRun, BlackRunSquare: r.BlackRunSquare, BlackRun: r.BlackRun,
		SinceChange: r.SinceChange, SinceMan: r.SinceMan, Road: r.Road,
	}
	return p.Position(v)
}

// plainRow is the row of one position of a run; what its opening was is not
// known yet.
func plainRow(p *dataset.PositionRow) Row {
	r := Row{
		WhiteMen: p.WhiteMen, WhiteKings: p.WhiteKings, BlackMen: p.BlackMen, BlackKings: p.BlackKings,
		WhiteToMove:    p.WhiteToMove,
		WhiteRunSquare: p.WhiteRunSquare, WhiteRun: p.WhiteRun, BlackRunSquare: p.BlackRunSquare, BlackRun: p.BlackRun,
		SinceChange: p.SinceChange, SinceMan: p.SinceMan, Road: p.Road,
		LegalMoves: p.LegalMoves, CaptureDue: p.CaptureDue,
		Count: 1, Game: p.Game, Ply: p.Ply, OneOpening: true,
	}
	switch p.Result() {
	case engine.WhiteWins:
		r.WhiteWins = 1
	case engine.Draw:
		r.Draws = 1
	case engine.BlackWins:
		r.BlackWins = 1
	}
	switch {
	case p.WinIn != nil && *p.WinIn > 0:
		r.ProvenWins = 1
	case p.WinIn != nil:
		r.ProvenLosses = 1
	case p.Score != nil:
		r.Scored, r.ScoreSum = 1, int64(*p.Score)
	}
	return r
}

// merge adds a row of the same position. Of the two places in the games it
// keeps the first.
func (r *Row) merge(o *Row) {
	r.OneOpening = r.OneOpening && o.OneOpening && r.Opening == o.Opening
	if compareOrigin(o, r) < 0 {
		r.Source, r.Game, r.Ply, r.OpeningPlies, r.Opening = o.Source, o.Game, o.Ply, o.OpeningPlies, o.Opening
	}
	r.Count += o.Count
	r.WhiteWins += o.WhiteWins
	r.Draws += o.Draws
	r.BlackWins += o.BlackWins
	r.Scored += o.Scored
	r.ScoreSum += o.ScoreSum
	r.ProvenWins += o.ProvenWins
	r.ProvenLosses += o.ProvenLosses
}

// compareOrigin orders rows by where they are from; no two of a training set
// are equal.
func compareOrigin(a, b *Row) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Game, b.Game), cmp.Compare(a.Ply, b.Ply))
}

// maxClock is where the draw clocks of a position stop, in plies.
const maxClock = 255

// maxCount bounds a row's sums, so that adding up those of all rows that there
// can be comes near no end of int64.
const maxCount = 1 << 40

// check reports a value that no row can have. What follows from the rules,
// Verify looks at.
func (r *Row) check() error {
	for _, c := range [...]int16{r.SinceChange, r.SinceMan, r.Road} {
		if c < 0 || c > maxClock {
			return fmt.Errorf("a draw clock of %d: it ends at %d", c, maxClock)
		}
	}
	for _, n := range [...]int64{r.WhiteWins, r.Draws, r.BlackWins, r.Scored, r.ProvenWins, r.ProvenLosses} {
		if n < 0 || n > r.Count {
			return fmt.Errorf("counts up to %d of %d positions", n, r.Count)
		}
	}
	switch {
	case r.Count < 1 || r.Count > maxCount:
		return fmt.Errorf("count %d: it is from 1 to %d", r.Count, int64(maxCount))
	case r.Decided() > r.Count || r.Scored+r.ProvenWins+r.ProvenLosses > r.Count:
		return fmt.Errorf("more outcomes or more scores than its %d positions", r.Count)
	case r.ScoreSum > r.Scored<<15 || r.ScoreSum < -r.Scored<<15:
		return fmt.Errorf("scores of %d in %d positions", r.ScoreSum, r.Scored)
	case r.Source < 0 || r.Game < 0 || r.Ply < 0 || r.OpeningPlies < 0 || r.LegalMoves < 1:
		return errors.New("a source, game, ply, or number of opening plies or legal moves that cannot be")
	}
	return nil
}

// appendRecord appends a row as temporary files hold it.
func appendRecord(b []byte, r *Row) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(r.WhiteMen))
	b = le.AppendUint64(b, uint64(r.WhiteKings))
	b = le.AppendUint64(b, uint64(r.BlackMen))
	b = le.AppendUint64(b, uint64(r.BlackKings))
	b = le.AppendUint64(b, uint64(r.Opening))
	b = append(b, bit(r.WhiteToMove)|bit(r.CaptureDue)<<1|bit(r.OneOpening)<<2,
		byte(r.WhiteRunSquare), byte(r.WhiteRun), byte(r.BlackRunSquare), byte(r.BlackRun),
		byte(r.SinceChange), byte(r.SinceMan), byte(r.Road))
	for _, n := range [...]int64{
		int64(r.LegalMoves), r.Count, r.WhiteWins, r.Draws, r.BlackWins, r.Scored, r.ProvenWins, r.ProvenLosses,
		int64(r.Source), r.Game, int64(r.Ply), int64(r.OpeningPlies),
	} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return binary.AppendVarint(b, r.ScoreSum)
}

// errRecord is a record that appendRecord did not write.
var errRecord = errors.New("a temporary file is damaged")

// readRecord is the inverse of appendRecord.
func readRecord(b []byte, r *Row) error {
	const fixed = 5*8 + 8
	if len(b) < fixed {
		return errRecord
	}
	le := binary.LittleEndian
	r.WhiteMen, r.WhiteKings = int64(le.Uint64(b)), int64(le.Uint64(b[8:]))
	r.BlackMen, r.BlackKings = int64(le.Uint64(b[16:])), int64(le.Uint64(b[24:]))
	r.Opening = int64(le.Uint64(b[32:]))
	f := b[40:fixed]
	r.WhiteToMove, r.CaptureDue, r.OneOpening = f[0]&1 != 0, f[0]&2 != 0, f[0]&4 != 0
	r.WhiteRunSquare, r.WhiteRun, r.BlackRunSquare, r.BlackRun = int8(f[1]), int8(f[2]), int8(f[3]), int8(f[4])
	r.SinceChange, r.SinceMan, r.Road = int16(f[5]), int16(f[6]), int16(f[7])
	b = b[fixed:]
	var numbers [12]int64
	for i := range numbers {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return errRecord
		}
		numbers[i], b = int64(n), b[size:]
	}
	r.LegalMoves = int16(numbers[0])
	r.Count, r.WhiteWins, r.Draws, r.BlackWins = numbers[1], numbers[2], numbers[3], numbers[4]
	r.Scored, r.ProvenWins, r.ProvenLosses = numbers[5], numbers[6], numbers[7]
	r.Source, r.Game, r.Ply, r.OpeningPlies = int32(numbers[8]), numbers[9], int32(numbers[10]), int32(numbers[11])
	n, size := binary.Varint(b)
	if r.ScoreSum = n; size != len(b) {
		return errRecord
	}
	return nil
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}
