package endgame

import (
	"context"
	"fmt"
	"sync/atomic"

	"draughtlab/engine"
	"draughtlab/engine/notation"
)

// Generator is a move generator, such as engine.Variant.Generate: it appends the
// legal moves of p, each with its whole effect.
type Generator func(p *engine.Position, buf []engine.Move) []engine.Move

// Verify derives states of all tables of up to so many pieces anew from their
// successors, with the given generator, which must allow calls from several
// workers at once, and returns how many; its error names a state that differs.
// Of every table it takes about sample states at even distances for each side to
// move, or all if sample is 0. It rests on nothing of the analysis but the index:
// values and distances that agree everywhere with those of the successors are
// right, as a win's distance falls with every ply.
func (t *Tables) Verify(ctx context.Context, pieces, sample, workers int, generate Generator) (int64, error) {
	checked := int64(0)
	for _, e := range t.endings {
		if e.material.Pieces() > pieces {
			continue
		}
		for _, s := range e.slices {
			n, err := t.verify(ctx, s, sample, workers, generate)
			checked += n
			if err != nil {
				return checked, err
			}
		}
	}
	if t.pure != nil {
		n, err := t.pure.Verify(ctx, pieces, sample, workers, generate)
		return checked + n, err
	}
	return checked, nil
}

// verify derives states of one slice.
func (t *Tables) verify(ctx context.Context, s *slice, sample, workers int, generate Generator) (int64, error) {
	step := 1
	if sample > 0 && s.states() > sample {
		step = s.states() / sample
		for gcd(step, s.extras()) != 1 { // so that all runs and clocks come
			step++
		}
	}
	r := s.reader(t.geometry.board)
	var checked atomic.Int64
	var wrong atomic.Pointer[error]
	err := parallel(ctx, workers, (s.states()+step-1)/step, func(from, to int) {
		buf := make([]engine.Move, 0, 512)
		for i := from; i < to && wrong.Load() == nil; i++ {
			w := r.view(i * step)
			if w.overlap() {
				continue
			}
			checked.Add(1)
			if err := t.compare(&w, generate, buf); err != nil {
				wrong.CompareAndSwap(nil, &err)
			}
		}
	})
	if found := wrong.Load(); err == nil && found != nil {
		err = *found
	}
	if err == nil {
		err = t.Err()
	}
	return checked.Load(), err
}

// compare derives one state.
func (t *Tables) compare(w *view, generate Generator, buf []engine.Move) error {
	p := w.position()
	got := t.mustLookup(&p)
	if want := t.derive(&p, generate(&p, buf)); got != want {
		at := notation.FormatFEN(t.variant, &p)
		if t.geometry.runs {
			at += " with king runs " + notation.FormatRuns(t.variant, &p)
		}
		if w.clock > 0 {
			at += fmt.Sprintf(" at count %d", w.clock)
		}
		return fmt.Errorf("%s, %s rules: %s: the table says %s, its successors %s",
			t.variant.Name, t.kept, at, result(got), result(want))
	}
	return nil
}

// derive returns the code of p by those of its successors.
func (t *Tables) derive(p *engine.Position, moves []engine.Move) int {
	if len(moves) == 0 {
		return 1
	}
	if t.drawn(p) {
		return 0
	}
	var f fold
	for _, m := range moves {
		q := p.Make(m)
		f.add(t.mustLookup(&q))
	}
	return f.code()
}

// gcd returns the greatest common divisor.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
