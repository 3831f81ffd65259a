package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// Hash returns one hash of a dataset's content in hexadecimal: of the rows of
// both tables of every variant in their order, and of nothing else. Neither
// the encoding of the files nor the size of the shards nor the configuration
// counts. Only complete shards do; their rows must have the hash their footers
// say.
func Hash(ctx context.Context, dir string) (string, error) {
	found, err := Variants(dir)
	if err != nil {
		return "", err
	}
	games, positions := make([]string, len(found)), make([]string, len(found))
	g, ctx := errgroup.WithContext(ctx)
	for i, v := range found {
		g.Go(func() (err error) {
			games[i], err = hashRows(ctx, dir, v.Name, gamesTable())
			return err
		})
		g.Go(func() (err error) {
			positions[i], err = hashRows(ctx, dir, v.Name, positionsTable())
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", err
	}
	all := sha256.New()
	for i, v := range found {
		fmt.Fprintf(all, "%s games %s positions %s\n", v.Name, games[i], positions[i])
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// hashRows hashes a table of a variant over all its shards.
func hashRows[T any](ctx context.Context, dir, variant string, t tableOf[T]) (string, error) {
	var whole *rowHash[T]
	err := eachShard(dir, variant, func(s Shard) error {
		r, err := openTable(s.Path(t.name), t, variant)
		if err != nil {
			return err
		}
		defer r.close()
		if whole == nil {
			whole = newRowHash(t, variant, r.meta.Schema)
		}
		if r.meta.Schema != whole.schema {
			return fmt.Errorf("%s: schema version %d, the shards before it have %d: they are of two programs", r.path, r.meta.Schema, whole.schema)
		}
		own := newRowHash(t, variant, r.meta.Schema)
		if err := r.each(ctx, func(rows []T) error {
			whole.add(rows)
			own.add(rows)
			return nil
		}); err != nil {
			return err
		}
		if got := own.hex(); got != r.meta.RowsHash {
			return damaged(r.path, "its rows have the hash %s, its footer says %s", got, r.meta.RowsHash)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return whole.hex(), nil
}
