package refine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/export/dataset"
)

// shardRows reads the positions of one shard of a run as rows.
func shardRows(ctx context.Context, v *engine.Variant, s dataset.Shard, yield func([]Row) error) error {
	next, stop := iter.Pull2(games(s))
	defer stop()
	r := runReader{variant: v, symmetry: symmetryOf(v), next: next, game: -1, yield: yield}
	err := s.Positions(func(rows []dataset.PositionRow) error {
		for i := range rows {
			if err := r.add(&rows[i]); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err == nil {
		err = r.endGame()
	}
	if err == nil && len(r.batch) > 0 {
		err = yield(r.batch)
	}
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%s: %w", s.Path(dataset.PositionsTable), err)
	}
	return err
}

// games yields the games of a shard in their order.
func games(s dataset.Shard) iter.Seq2[dataset.GameRow, error] {
	return func(yield func(dataset.GameRow, error) bool) {
		err := s.Games(func(rows []dataset.GameRow) error {
			for _, g := range rows {
				if !yield(g, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(dataset.GameRow{}, err)
		}
	}
}

// runReader makes rows of the positions of a shard, game by game.
type runReader struct {
	variant  *engine.Variant
	symmetry symmetry
	next     func() (dataset.GameRow, error, bool)
	yield    func([]Row) error

	game  int64 // the current one
	begin int   // its rows begin there in batch
	batch []Row
}

// add takes one position; those of a game come one after the other.
func (r *runReader) add(p *dataset.PositionRow) error {
	if p.Game != r.game {
		if err := r.endGame(); err != nil {
			return err
		}
		r.game = p.Game
	}
	row := plainRow(p)
	if err := row.check(); err != nil {
		return fmt.Errorf("game %d ply %d: %w: run verify", p.Game, p.Ply, err)
	}
	r.batch = append(r.batch, row)
	return nil
}

// endGame gives the rows of the current game their opening, and hands them on
// when there are enough.
func (r *runReader) endGame() error {
	rows := r.batch[r.begin:]
	if len(rows) == 0 {
		return nil
	}
	g, err := r.gameRow()
	if err != nil {
		return err
	}
	opening, err := r.opening(&g, rows)
	if err != nil {
		return fmt.Errorf("game %d: %w: run verify", g.Game, err)
	}
	for i := range rows {
		rows[i].OpeningPlies, rows[i].Opening = g.OpeningPlies, opening
	}
	r.begin = len(r.batch)
	if len(r.batch) < readRows {
		return nil
	}
	full := r.batch
	r.batch, r.begin = make([]Row, 0, cap(full)), 0
	return r.yield(full)
}

// gameRow finds the row of the current game; games without positions lie
// between.
func (r *runReader) gameRow() (dataset.GameRow, error) {
	for {
		g, err, ok := r.next()
		switch {
		case err != nil:
			return g, err
		case !ok:
			return g, fmt.Errorf("game %d has positions but no row in the games table: run verify", r.game)
		case g.Game == r.game:
			return g, nil
		}
	}
}

// opening returns the hash of the position in which the engines took over.
func (r *runReader) opening(g *dataset.GameRow, rows []Row) (int64, error) {
	if n := int(g.OpeningPlies); n < len(rows) {
		if rows[n].Ply != g.OpeningPlies {
			return 0, fmt.Errorf("ply %d stands where ply %d should", rows[n].Ply, n)
		}
		return int64(r.symmetry.boardKey(rows[n]).hash()), nil
	}
	row, err := r.afterMoves(g)
	if err != nil {
		return 0, err
	}
	return int64(r.symmetry.boardKey(row).hash()), nil
}

// afterMoves returns the position after the opening of a game that ended there
// and has no row of it.
func (r *runReader) afterMoves(g *dataset.GameRow) (Row, error) {
	p, err := g.Start(r.variant)
	if err != nil {
		return Row{}, err
	}
	for _, text := range strings.Fields(g.Moves) {
		m, err := notation.ParseMove(r.variant, &p, r.variant.Generate(&p, nil), text)
		if err != nil {
			return Row{}, err
		}
		p = p.Make(m)
	}
	b := r.variant.Board
	row := Row{
		WhiteMen: int64(b.Pack(p.Men(engine.White))), WhiteKings: int64(b.Pack(p.Pieces[engine.White] & p.Kings)),
		BlackMen: int64(b.Pack(p.Men(engine.Black))), BlackKings: int64(b.Pack(p.Pieces[engine.Black] & p.Kings)),
		WhiteToMove: p.Side() == engine.White,
	}
	if n, on := p.Run(engine.White); n > 0 {
		row.WhiteRunSquare, row.WhiteRun = int8(b.Index(on)+1), int8(n)
	}
	if n, on := p.Run(engine.Black); n > 0 {
		row.BlackRunSquare, row.BlackRun = int8(b.Index(on)+1), int8(n)
	}
	return row, nil
}
