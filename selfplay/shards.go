package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sync/errgroup"

	"draughtlab/export/dataset"
)

// find tells the shards that are there from those to be played. On request it
// reads the rows of those that are there; else it looks at the files' footers
// only.
func (r *run) find(ctx context.Context, rows bool) error {
	done, err := r.cfg.inventory(r.dir, false)
	if err != nil {
		return err
	}
	plan := r.cfg.Plan()
	if err := r.checkConfig(ctx, plan, done); err != nil {
		return err
	}
	chosen := plan
	if r.opt.Shards != nil {
		chosen = nil
		for _, i := range r.opt.Shards {
			chosen = append(chosen, plan[i])
		}
	}
	for _, s := range chosen {
		r.progress.Planned += s.Last - s.First
		if _, ok := done[s.Variant].Done[s.Number]; ok {
			r.found = append(r.found, s)
			r.progress.Found += s.Last - s.First
		} else {
			r.todo = append(r.todo, s)
		}
	}
	r.progress.Games = r.progress.Found
	if err := r.check(ctx, r.checkShard(rows)); err != nil {
		return err
	}
	r.report()
	return nil
}

// checkConfig refuses a directory whose config.json was changed after games were
// played: its shards are good, and would be set aside as another run's. Of those
// that are done all must be under another configuration, and more than one; a
// look at the first is enough as a rule.
func (r *run) checkConfig(ctx context.Context, plan []Shard, done map[string]dataset.Inventory) error {
	changed := func(what string) error {
		return fmt.Errorf("%s: it is another one than that of %s: put the old one back, or choose another directory", dataset.Join(r.dir, dataset.ConfigFile), what)
	}
	config := r.cfg.Hash()
	if m, err := dataset.ReadManifest(r.dir); err == nil && m.Config != config { // recheck tells of errors
		return changed(dataset.ManifestFile + " (which is to be removed if that is another run's)")
	}
	others := 0
	for _, s := range plan {
		if _, ok := done[s.Variant].Done[s.Number]; !ok {
			continue
		}
		if err := dataset.CheckShard(ctx, s.in(r.dir), s.First, s.Last, config, false); !errors.Is(err, dataset.ErrOtherRun) {
			return nil // ours, or check tells of its fault
		}
		others++
	}
	if others > 1 {
		return changed(fmt.Sprintf("all %d shards that are done", others))
	}
	return nil
}

// recheck looks into all shards that were there at the beginning, now that no
// other is missing: whether their rows are those the footers promise or, once
// there is a manifest, their bytes those that it lists.
func (r *run) recheck(ctx context.Context) error {
	if r.progress.Checking = len(r.found); r.progress.Checking > 0 {
		r.report()
	}
	m, err := dataset.ReadManifest(r.dir)
	var d *dataset.DamagedError
	switch {
	case errors.As(err, &d):
		if err := r.setAside(d); err != nil {
			return err
		}
		return r.check(ctx, r.checkShard(true))
	case err == nil:
		return r.check(ctx, func(_ context.Context, s Shard) error { return m.CheckBytes(s.in(r.dir)) })
	case errors.Is(err, fs.ErrNotExist):
		return r.check(ctx, r.checkShard(true))
	}
	return err
}

// checkShard returns what looks at a shard, on request at its rows as well.
func (r *run) checkShard(rows bool) func(context.Context, Shard) error {
	config := r.cfg.Hash()
	return func(ctx context.Context, s Shard) error {
		return dataset.CheckShard(ctx, s.in(r.dir), s.First, s.Last, config, rows)
	}
}

// check looks at the shards that were found, some at a time. What is damaged is
// set aside and its shard put among those to be played.
func (r *run) check(ctx context.Context, look func(context.Context, Shard) error) error {
	faults := make([]error, len(r.found))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(dataset.AtOnce(r.dir))
	for i, s := range r.found {
		g.Go(func() error {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			err := look(gctx, s)
			var d *dataset.DamagedError
			if errors.As(err, &d) {
				faults[i] = err
				return r.setAside(d)
			}
			return err
		})
	}
	if err := g.Wait(); ctx.Err() != nil {
		return fmt.Errorf("%w while the shards that are there were checked", ErrInterrupted)
	} else if err != nil {
		return err
	}
	right := r.found[:0]
	for i, s := range r.found {
		if faults[i] == nil {
			right = append(right, s)
		} else {
			r.todo = append(r.todo, s)
			r.progress.Found -= s.Last - s.First
			r.progress.Games -= s.Last - s.First
		}
	}
	r.found = right
	return nil
}

// setAside moves a damaged file away and tells of it.
func (r *run) setAside(d *dataset.DamagedError) error {
	to, err := dataset.SetAside(r.dir, d.File)
	if err != nil {
		return err
	}
	if r.opt.Note != nil && to != "" {
		r.opt.Note(fmt.Sprintf("%s: %v; set aside as %s, it is made anew", d.File, d.Err, to))
	}
	return nil
}

// resume goes on with a shard where it was suspended, or begins it. A damaged
// part of it is set aside.
func (r *run) resume(s Shard) (*dataset.ShardWriter, int64, error) {
	for {
		w, next, err := dataset.ResumeShard(r.dir, r.spec(s))
		var d *dataset.DamagedError
		if !errors.As(err, &d) {
			return w, next, err
		}
		if err := r.setAside(d); err != nil {
			return nil, 0, err
		}
	}
}

// play plays the shards that are missing.
func (r *run) play(ctx context.Context) error {
	late, release := graceful(ctx, grace)
	defer release()
	r.late = func() bool { return late.Err() != nil }
	var playing context.Context // ends, too, when a shard cannot be closed
	r.closing, playing = errgroup.WithContext(ctx)
	err := InOrder(playing, r.opt.Workers, r.jobs, r.newWorker, r.add)
	if failed := r.closing.Wait(); failed != nil {
		err = failed
	}
	if err := r.leave(ctx, err); err != nil {
		return err
	}
	r.played = r.played || len(r.todo) > 0
	r.todo, r.begun = nil, nil
	return nil
}

// graceful returns a context that ends some time after another one. release
// frees what it holds.
func graceful(ctx context.Context, grace time.Duration) (late context.Context, release func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(grace):
			cancel()
		case <-late.Done():
		}
	})
	return late, func() { stop(); cancel() }
}

// in returns the shard as one of a run directory.
func (s Shard) in(dir string) dataset.Shard {
	return dataset.Shard{Dir: dir, Variant: s.Variant, Number: s.Number}
}

// inventory lists what there is of each variant of a run.
func (c *Config) inventory(dir string, times bool) (map[string]dataset.Inventory, error) {
	all := map[string]dataset.Inventory{}
	for _, name := range c.Variants {
		inv, err := dataset.TakeInventory(dir, name, times)
		if err != nil {
			return nil, err
		}
		all[name] = inv
	}
	return all, nil
}
