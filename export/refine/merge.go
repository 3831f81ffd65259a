package refine

import (
	"context"

	"draughtlab/engine"
)

// Merge writes one training set with the rows of several runs and training
// sets, those of the first before those of the second. Their sources are
// numbered anew. Inputs with games of the same run, under other draw articles or
// of other variants than the first are refused. Of one run it makes a training
// set with every position.
func Merge(ctx context.Context, dirs []string, out string, opt Options) (Provenance, error) {
	j, err := begin("merge", dirs, out, 1, struct{}{}, opt)
	if err != nil {
		return Provenance{}, err
	}
	p, err := j.writeEach(func(v *engine.Variant, w *rowWriter, c *Counts) error {
		return j.read(ctx, v, c, nil, w.add)
	})
	return p, j.end(err)
}
