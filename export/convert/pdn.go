package convert

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/export/dataset"
)

// writePDN writes the games one after the other. What a dataset knows of a
// game beside its moves is in tags: Round is its number.
func writePDN(ctx context.Context, w io.Writer, s Source) (games int64, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	var text bytes.Buffer // one game
	err = eachShard(ctx, s, &games, func(v *engine.Variant, shard dataset.Shard) error {
		return shard.Games(func(rows []dataset.GameRow) error {
			for i := range rows {
				g, err := pdnGame(v, &rows[i])
				if err == nil {
					text.Reset()
					err = notation.Write(&text, g)
				}
				if err != nil {
					return fmt.Errorf("%s: game %d: %w", shard.Path(dataset.GamesTable), rows[i].Game, err)
				}
				if _, err := out.Write(text.Bytes()); err != nil {
					return err // the output's fault, not the shard's
				}
				games++
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return games, err
	}
	return games, out.Flush()
}

// pdnGame makes a game of PDN from a row.
func pdnGame(v *engine.Variant, r *dataset.GameRow) (*notation.Game, error) {
	g := &notation.Game{Result: r.Result().String()}
	g.Tags = []notation.Tag{
		{Name: "Event", Value: "draughtlab self-play"},
		{Name: "Round", Value: strconv.FormatInt(r.Game, 10)},
		{Name: "White", Value: r.Engine},
		{Name: "Black", Value: r.Engine},
		{Name: "GameType", Value: notation.GameType(v)},
		{Name: "Result", Value: g.Result},
		{Name: "Termination", Value: r.Termination},
		{Name: "Profile", Value: r.Profile},
		{Name: "Opening", Value: r.Opening},
		{Name: "OpeningPlies", Value: strconv.FormatInt(int64(r.OpeningPlies), 10)},
		{Name: "Seed", Value: strconv.FormatUint(uint64(r.Seed), 10)},
		{Name: "WeightsHash", Value: r.WeightsHash},
	}
	start, err := r.Start(v)
	if err != nil {
		return nil, err
	}
	if start != v.Start {
		g.Tags = append(g.Tags, notation.Tag{Name: "FEN", Value: r.StartFEN})
		if start.HasRuns() {
			g.Tags = append(g.Tags, notation.Tag{Name: "Runs", Value: notation.FormatRuns(v, &start)})
		}
	}
	for text := range strings.FieldsSeq(r.Moves) {
		g.Moves = append(g.Moves, notation.MoveText{Text: text})
	}
	return g, nil
}
