package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"

	"draughtlab/engine"
)

// Spec is what a shard is to hold: all games with numbers in [First, Last) of
// one variant, played under one configuration.
type Spec struct {
	Variant *engine.Variant
	Profile engine.Profile
	// PlyLimit is the number of plies after which the program stopped a game;
	// 0 means no limit.
	PlyLimit int
	// Referee ends games by endgame tables. With tables, a game that they would
	// have ended otherwise is refused; without, their ends cannot be judged.
	Referee Referee
	// Engine names the players and their limits: "alphabeta nodes=1000".
	Engine string
	// WeightsHash is that of the evaluation weights; empty if none were used.
	WeightsHash string
	// ConfigHash is the SHA-256 of config.json in hexadecimal.
	ConfigHash string
	// Shard is the number of the shard within the variant, from 0.
	Shard       int
	First, Last int64
}

func (s Spec) check() error {
	switch {
	case s.Variant == nil:
		return errors.New("shard without a variant")
	case s.Shard < 0 || s.First < 0 || s.Last <= s.First:
		return fmt.Errorf("shard %d of %s cannot hold the games [%d,%d)", s.Shard, s.Variant.Name, s.First, s.Last)
	case !isText(s.Engine) || !isText(s.WeightsHash) || !isText(s.ConfigHash):
		return fmt.Errorf("engine %q, weights %q, configuration %q: control characters, or not UTF-8", s.Engine, s.WeightsHash, s.ConfigHash)
	case s.PlyLimit < 0 || s.PlyLimit > 1<<30:
		return fmt.Errorf("ply limit %d", s.PlyLimit)
	}
	return nil
}

// ShardWriter writes the two files of one shard. What it writes depends on the
// spec and the games only. Its methods may be called from several goroutines,
// but games must be added in order.
type ShardWriter struct {
	spec   Spec
	shard  Shard
	makers sync.Pool // of *rowMaker

	mu        sync.Mutex // guards what follows
	games     *tableWriter[GameRow]
	positions *tableWriter[PositionRow]
	next      int64
	closed    bool
	broken    error    // a write that failed: the files cannot be completed
	prefixes  []string // suspended files this shard goes on from
}

// CreateShard begins a shard in a run directory; nothing appears under a final
// name before Close.
func CreateShard(dir string, spec Spec) (*ShardWriter, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	w := &ShardWriter{
		spec:  spec,
		shard: Shard{Dir: dir, Variant: spec.Variant.Name, Number: spec.Shard},
		next:  spec.First,
	}
	w.makers.New = func() any { return newRowMaker(spec) }
	var err error
	if w.games, err = createTable(w.shard, gamesTable()); err != nil {
		return nil, err
	}
	if w.positions, err = createTable(w.shard, positionsTable()); err != nil {
		w.games.file.Abort()
		return nil, err
	}
	return w, nil
}

// Rows are the rows of one game, made and checked by ShardWriter.Rows.
type Rows struct {
	shard     *ShardWriter
	maker     *rowMaker // keeps positions; AddRows gives it back to the shard
	game      GameRow
	positions []PositionRow
}

// Positions returns the number of rows of the positions table.
func (r *Rows) Positions() int { return len(r.positions) }

// Rows plays a game through the rules again and makes its rows for AddRows. It
// refuses a game that the rules do not allow. Any number of goroutines may call
// it at once, and games may come in any order.
func (w *ShardWriter) Rows(r *Record) (*Rows, error) {
	maker := w.makers.Get().(*rowMaker)
	game, positions, err := maker.rows(r)
	if err != nil {
		w.makers.Put(maker)
		return nil, err
	}
	return &Rows{shard: w, maker: maker, game: game, positions: positions}, nil
}

// AddRows writes the next game, whose rows this shard made; they are used up
// and must not be added again. It refuses a game out of turn and is then as it
// was before. After a failed write the shard can only be aborted.
func (w *ShardWriter) AddRows(r *Rows) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	if r.shard != w || r.maker == nil {
		return fmt.Errorf("%s: rows of another shard, or added before", w.shard.name(GamesTable))
	}
	if n := r.game.Game; n != w.next || n >= w.spec.Last {
		return fmt.Errorf("%s: game %d came where %d of [%d,%d) was due", w.shard.name(GamesTable), n, w.next, w.spec.First, w.spec.Last)
	}
	if w.broken = errors.Join(w.positions.add(r.positions), w.games.add([]GameRow{r.game})); w.broken != nil {
		return w.broken
	}
	w.next++
	w.makers.Put(r.maker)
	*r = Rows{}
	return nil
}

// Add makes the rows of the next game and writes them: Rows and AddRows.
func (w *ShardWriter) Add(r *Record) error {
	rows, err := w.Rows(r)
	if err != nil {
		return err
	}
	return w.AddRows(rows)
}

// usable reports why nothing can be added or completed any more.
func (w *ShardWriter) usable() error {
	if w.closed {
		return fmt.Errorf("%s: the shard is closed", w.shard.Path(GamesTable))
	}
	return w.broken
}

// Close completes the shard: footers, then both files synced and renamed, the
// positions first. It fails, and nothing gets a final name, unless all games
// were added.
func (w *ShardWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		w.abort()
		return err
	}
	if w.next != w.spec.Last {
		w.abort()
		return fmt.Errorf("%s: closed after game %d of [%d,%d)", w.shard.name(GamesTable), w.next-1, w.spec.First, w.spec.Last)
	}
	if err := w.finish(w.shard.Path(PositionsTable), w.shard.Path(GamesTable)); err != nil {
		return err
	}
	for _, p := range w.prefixes {
		if err := removeFile(p); err != nil {
			return fmt.Errorf("remove the suspended part of a finished shard: %w", err)
		}
	}
	return nil
}

// Suspend keeps the games added so far, so that ResumeShard can go on with the
// next one: as complete Parquet files, but never under a final name. Without a
// game it keeps nothing.
func (w *ShardWriter) Suspend() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		w.abort()
		return err
	}
	if w.next == w.spec.First {
		w.abort()
		return nil
	}
	played := w.next - w.spec.First
	return w.finish(w.shard.partial(PositionsTable, played), w.shard.partial(GamesTable, played))
}

// Abort removes what was written. After Close or Suspend it does nothing.
func (w *ShardWriter) Abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.abort()
}

// abort closes the shard; its buffers go, however long the writer is kept.
func (w *ShardWriter) abort() {
	if !w.closed {
		w.closed = true
		w.games.file.Abort()
		w.positions.file.Abort()
		w.games, w.positions = nil, nil
	}
}

// finish gives both files these names.
func (w *ShardWriter) finish(positions, games string) error {
	defer w.abort() // removes the temporary files unless renamed
	err := w.rename(positions, games)
	if errors.Is(err, fs.ErrNotExist) && w.shard.Done() {
		return nil // another process was faster, and RemoveStale took ours away
	}
	return err
}

func (w *ShardWriter) rename(positions, games string) error {
	if err := w.positions.complete(w.metadata(PositionsTable)); err != nil {
		return err
	}
	if err := w.games.complete(w.metadata(GamesTable)); err != nil {
		return err
	}
	if err := w.positions.file.publish(positions, false); err != nil {
		return err
	}
	return w.games.file.publish(games, false)
}

func (w *ShardWriter) metadata(t Table) metadata {
	return metadata{
		Schema: SchemaVersion, Table: t, Variant: w.spec.Variant.Name, Shard: w.spec.Shard,
		First: w.spec.First, Last: w.next, ConfigHash: w.spec.ConfigHash,
	}
}

// partial is the name of a suspended shard with its first games played.
func (s Shard) partial(t Table, played int64) string {
	return Join(tableDir(s.Dir, t, s.Variant), fmt.Sprintf(".shard-%05d.%s.partial", s.Number, strconv.FormatInt(played, 10)))
}
