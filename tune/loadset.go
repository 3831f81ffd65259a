package tune

import (
	"context"
	"fmt"
	"math"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/export/dataset"
	"draughtlab/export/refine"
)

// identity returns what names the data in a result: of a run directory the
// hashes of content and configuration, of a training set those of its provenance
// and of its runs' configurations.
func identity(ctx context.Context, dir string) (hash, config string, err error) {
	if !refine.IsSet(dir) {
		if hash, err = dataset.Hash(ctx, dir); err == nil {
			config, err = dataset.ConfigHash(dir)
		}
		return hash, config, err
	}
	p, err := refine.ReadProvenance(dir)
	var configs []string
	for _, s := range p.Sources {
		configs = append(configs, s.Config)
	}
	return p.Self, strings.Join(configs, " "), err
}

// loadSet streams the rows of a training set through the features, once. A row
// counts as often as its positions have an outcome: each is a row of the matrix
// of its own, so that the loss is that of the label (wins + draws/2) / decided
// with the weight decided. The holdout is of whole openings. Games are told
// apart in memory, in some 40 bytes each; of a row of several games only the
// first is known.
func loadSet(ctx context.Context, dir string, v *engine.Variant, f *eval.Features, s Selection) (*data, error) {
	if s.PerGame > 0 {
		return nil, fmt.Errorf("%d positions a game of a training set, whose rows are in any order: make it with dataset sample --per-game", s.PerGame)
	}
	set, err := refine.Open(dir)
	if err != nil {
		return nil, err
	}
	l, err := newLoader(v, f, s)
	if err != nil {
		return nil, err
	}
	var games [2]map[[2]int64]bool
	for i := range games {
		games[i] = map[[2]int64]bool{}
	}
	const workers = 2 // files read at once; the features are computed in one goroutine
	err = set.Rows(ctx, v, workers, func(rows []refine.Row) error {
		for i := range rows {
			part, used, err := l.addSetRow(&rows[i])
			if err != nil {
				return fmt.Errorf("%s: %s: %w", dir, v.Name, err)
			}
			if used {
				games[part][[2]int64{int64(rows[i].Source), rows[i].Game}] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range games {
		l.parts[i].games = int64(len(games[i]))
	}
	return l.finish(), nil
}

// addSetRow takes one row of a training set and returns its part, 1 for the
// holdout.
func (l *loader) addSetRow(r *refine.Row) (part int, used bool, err error) {
	decided := r.Decided()
	l.use.Rows += r.Count
	l.use.NoOutcome += r.Count - decided
	switch {
	case decided == 0:
	case r.CaptureDue:
		l.use.CaptureDue += decided
	case r.Ply < r.OpeningPlies:
		l.use.Opening += decided
	case r.Scored == 0 && r.ProvenWins+r.ProvenLosses > 0:
		l.use.Proven += decided
	case r.Scored == 0 && !l.selection.Unsearched:
		l.use.Unsearched += decided
	default:
		l.use.Candidates += decided
		part, err = l.partOfSetRow(r)
		if err == nil {
			err = l.addOutcomes(r, part)
		}
		return part, err == nil, err
	}
	return 0, false, nil
}

// partOfSetRow returns the part of a row by its opening.
func (l *loader) partOfSetRow(r *refine.Row) (int, error) {
	switch {
	case l.selection.Holdout == 0:
		return 0, nil
	case !r.OneOpening:
		return 0, fmt.Errorf("a row is %d positions of several openings, and no holdout can be told from the rest: set --holdout 0, or tune before dedupe", r.Count)
	case inHoldout(r.Opening, l.selection.Holdout):
		return 1, nil
	}
	return 0, nil
}

// addOutcomes adds a row to a matrix once for each outcome below the threshold.
func (l *loader) addOutcomes(r *refine.Row, part int) error {
	p, err := r.Position(l.variant)
	if err != nil {
		return err
	}
	row := Row{Scored: r.Scored > 0}
	if row.Scored {
		row.Score = int(math.Round(float64(r.ScoreSum) / float64(r.Scored)))
		if !r.WhiteToMove {
			row.Score = -row.Score
		}
	}
	l.buf, row.Phase = l.features.Trace(&p, l.buf[:0])
	row.Terms = l.buf
	hash := spread(positionHash(r.Game, r.Ply) + uint64(r.Source))
	for _, o := range []struct {
		outcome engine.Outcome
		n       int64
	}{{engine.WhiteWins, r.WhiteWins}, {engine.Draw, r.Draws}, {engine.BlackWins, r.BlackWins}} {
		row.Outcome = o.outcome
		for range o.n {
			if hash = spread(hash); hash > l.threshold {
				continue
			}
			if err := l.parts[part].matrix.Add(row); err != nil {
				return fmt.Errorf("game %d ply %d: %w", r.Game, r.Ply, err)
			}
			l.parts[part].hashes = append(l.parts[part].hashes, hash)
			l.thin()
		}
	}
	return nil
}
