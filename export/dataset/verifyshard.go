package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// settings are what all games of a variant have in common.
type settings struct {
	profile  string
	plyLimit int32
	engine   string
	weights  string
}

func (s settings) String() string {
	return fmt.Sprintf("profile %s, ply limit %d, engine %q, weights %q", s.profile, s.plyLimit, s.engine, s.weights)
}

// shardResult is what the check of one shard found.
type shardResult struct {
	games, positions int64
	settings         settings // those of its first game
	problems         []Problem
}

// shardCheck checks one shard.
type shardCheck struct {
	*verifier
	shardResult
	shard Shard

	variant *engine.Variant
	schema  int   // version of the files
	due     int64 // number of the next game
	cells   *cursor[PositionRow]
	expect  *Expect // nil if nothing is expected
	makers  map[settings]*rowMaker
	seeds   map[int64]int64 // seed -> game, to find a game that is there twice
	legal   []engine.Move
	a, b    []byte
}

// errEnough ends the check of a shard with too many problems.
var errEnough = errors.New("too many problems")

func (c *shardCheck) fault(t Table, format string, args ...any) error {
	c.problems = append(c.problems, Problem{c.shard.Path(t), fmt.Sprintf(format, args...)})
	if len(c.problems) >= maxProblems {
		return errEnough
	}
	return nil
}

// run returns an error only if the context ended.
func (c *shardCheck) run(ctx context.Context) error {
	v, err := variants.ByName(c.shard.Variant)
	if err != nil {
		return err
	}
	c.variant = v
	if e, ok := c.expected(v.Name); ok {
		c.expect = &e
	}
	c.makers, c.seeds = map[settings]*rowMaker{}, map[int64]int64{}
	if c.listed {
		m := c.manifest[c.shard]
		games, positions := c.bytes(GamesTable, m.Games), c.bytes(PositionsTable, m.Positions)
		if !games || !positions {
			return ctx.Err()
		}
	}
	games, err := openTable(c.shard.Path(GamesTable), gamesTable(), c.shard.Variant)
	if err != nil {
		c.failed(GamesTable, err)
		return ctx.Err()
	}
	defer games.close()
	positions, err := openTable(c.shard.Path(PositionsTable), positionsTable(), c.shard.Variant)
	if err != nil {
		c.failed(PositionsTable, err)
		return ctx.Err()
	}
	defer positions.close()
	if c.listed {
		m := c.manifest[c.shard]
		c.counts(GamesTable, m.Games, games.rows, games.meta.RowsHash)
		c.counts(PositionsTable, m.Positions, positions.rows, positions.meta.RowsHash)
	}
	if !c.metadata(games.meta, positions.meta) {
		return ctx.Err()
	}
	c.due = games.meta.First
	err = c.rows(ctx, games, positions)
	if err == nil || errors.Is(err, errEnough) || ctx.Err() != nil {
		return ctx.Err()
	}
	c.failed(GamesTable, err)
	return nil
}

// failed reports an error that names its file already, or the table's.
func (c *shardCheck) failed(t Table, err error) {
	for _, t := range tables {
		if strings.HasPrefix(err.Error(), c.shard.Path(t)+": ") {
			c.problems = append(c.problems, problemOf(c.shard.Path(t), err))
			return
		}
	}
	_ = c.fault(t, "%v", err) // the check ends here anyway
}

// bytes compares a file with its entry in the manifest; it returns false if
// the file cannot be read.
func (c *shardCheck) bytes(t Table, m FileManifest) bool {
	sum, size, err := fileHash(c.shard.Path(t))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = c.fault(t, "missing") // the check ends here anyway
	case err != nil:
		c.failed(t, fmt.Errorf("cannot be read: %w", err))
	default:
		if err := m.differs(sum, size); err != nil {
			c.failed(t, err)
		}
		return true
	}
	return false
}

// counts compares what a file says of its rows with its entry in the manifest.
func (c *shardCheck) counts(t Table, m FileManifest, rows int64, hash string) {
	if rows != m.Rows || hash != m.RowsSHA256 {
		c.failed(t, fmt.Errorf("has %d rows with the hash %s, the manifest says %d with %s", rows, hash, m.Rows, m.RowsSHA256))
	}
}

// metadata checks what the files say of themselves; it returns false if their
// rows cannot be compared.
func (c *shardCheck) metadata(games, positions metadata) bool {
	before := len(c.problems)
	want := games
	if c.listed {
		m := c.manifest[c.shard]
		want.First, want.Last = m.First, m.Last
	}
	want.Shard, want.ConfigHash = c.shard.Number, c.config
	if want.ConfigHash == "" {
		want.ConfigHash = games.ConfigHash
	}
	for i, have := range []metadata{games, positions} {
		t := tables[i]
		switch {
		case have.Shard != want.Shard || have.First != want.First || have.Last != want.Last:
			c.failed(t, fmt.Errorf("the file says to be shard %d of the games [%d,%d), not shard %d of [%d,%d): exchanged files",
				have.Shard, have.First, have.Last, want.Shard, want.First, want.Last))
		case have.Schema != want.Schema:
			c.failed(t, fmt.Errorf("schema version %d, the games have %d", have.Schema, want.Schema))
		case have.ConfigHash != want.ConfigHash:
			c.failed(t, fmt.Errorf("written under the configuration %s, not %s", have.ConfigHash, want.ConfigHash))
		}
	}
	return len(c.problems) == before
}

// rows replays all games and compares all rows.
func (c *shardCheck) rows(ctx context.Context, games *tableReader[GameRow], positions *tableReader[PositionRow]) error {
	c.cells = newCursor(positions, newRowHash(positionsTable(), c.shard.Variant, positions.meta.Schema))
	hash := newRowHash(gamesTable(), c.shard.Variant, games.meta.Schema)
	c.schema = games.meta.Schema
	err := games.each(ctx, func(rows []GameRow) error {
		hash.add(rows)
		for i := range rows {
			if err := c.game(&rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if want := games.meta.Last - games.meta.First; c.games != want {
		if err := c.fault(GamesTable, "has %d games, not the %d of [%d,%d)", c.games, want, games.meta.First, games.meta.Last); err != nil {
			return err
		}
	}
	switch row, err := c.cells.peek(); {
	case err != nil:
		return err
	case row != nil:
		return c.fault(PositionsTable, "game %d ply %d: a row of no game, or out of order", row.Game, row.Ply)
	}
	if got := hash.hex(); got != games.meta.RowsHash {
		if err := c.fault(GamesTable, "its rows have the hash %s, its footer says %s", got, games.meta.RowsHash); err != nil {
			return err
		}
	}
	if got := c.cells.hash.hex(); got != positions.meta.RowsHash {
		return c.fault(PositionsTable, "its rows have the hash %s, its footer says %s", got, positions.meta.RowsHash)
	}
	return nil
}

// game replays one game and compares its row and those of its positions.
func (c *shardCheck) game(row *GameRow) error {
	if row.Game != c.due {
		if err := c.fault(GamesTable, "game %d where game %d was due: one is missing, there twice, or out of order", row.Game, c.due); err != nil {
			return err
		}
	}
	c.due = row.Game + 1
	c.games++
	if other, ok := c.seeds[row.Seed]; ok {
		if err := c.fault(GamesTable, "game %d: has the seed of game %d", row.Game, other); err != nil {
			return err
		}
	}
	c.seeds[row.Seed] = row.Game
	s := settings{row.Profile, row.PlyLimit, row.Engine, row.WeightsHash}
	if c.games == 1 {
		c.settings = s
	} else if s != c.settings {
		if err := c.fault(GamesTable, "game %d: played under other settings (%s) than the first game (%s)", row.Game, s, c.settings); err != nil {
			return err
		}
	}
	have, err := c.takePositions(row)
	if err != nil {
		return err
	}
	c.positions += int64(len(have))
	maker, record, err := c.record(row, have, s)
	if err != nil {
		return c.fault(GamesTable, "game %d: %v", row.Game, err)
	}
	game, want, err := maker.rows(record)
	if err != nil {
		return c.fault(GamesTable, "%v", err)
	}
	c.a, c.b = encodeGame(c.a[:0], row, c.schema), encodeGame(c.b[:0], &game, c.schema)
	if !bytes.Equal(c.a, c.b) {
		if err := c.fault(GamesTable, "game %d: %s", row.Game, differences(row, &game)); err != nil {
			return err
		}
	}
	if err := c.comparePositions(row.Game, have, want); err != nil || c.expect == nil {
		return err
	}
	return c.compareExpected(row, have)
}

// compareExpected compares a game with what its configuration says.
func (c *shardCheck) compareExpected(row *GameRow, cells []PositionRow) error {
	if err := c.expect.Game(row); err != nil {
		if err := c.fault(GamesTable, "game %d: %v", row.Game, err); err != nil {
			return err
		}
	}
	for i := range cells {
		if err := c.expect.Position(row, &cells[i]); err != nil {
			if err := c.fault(PositionsTable, "game %d ply %d: %v", row.Game, cells[i].Ply, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// takePositions returns the rows of the positions of a game.
func (c *shardCheck) takePositions(row *GameRow) ([]PositionRow, error) {
	var have []PositionRow
	for {
		cell, err := c.cells.peek()
		if err != nil {
			return nil, err
		}
		if cell == nil || cell.Game != row.Game || len(have) > int(row.Plies) {
			return have, nil
		}
		have = append(have, *cell)
		c.cells.skip()
	}
}

func (c *shardCheck) comparePositions(game int64, have, want []PositionRow) error {
	if len(have) != len(want) {
		return c.fault(PositionsTable, "game %d: %d rows, the game has %d moves", game, len(have), len(want))
	}
	for i := range want {
		c.a, c.b = encodePosition(c.a[:0], &have[i], c.schema), encodePosition(c.b[:0], &want[i], c.schema)
		if !bytes.Equal(c.a, c.b) {
			if err := c.fault(PositionsTable, "game %d ply %d: %s", game, i, differences(&have[i], &want[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// record turns rows back into the game they were made from.
func (c *shardCheck) record(row *GameRow, cells []PositionRow, s settings) (*rowMaker, *Record, error) {
	profile, err := engine.ParseProfile(row.Profile)
	if err != nil {
		return nil, nil, err
	}
	termination, err := engine.ParseTermination(row.Termination)
	if err != nil {
		return nil, nil, err
	}
	maker := c.makers[s]
	if maker == nil {
		maker = newRowMaker(Spec{Variant: c.variant, Profile: profile, PlyLimit: int(row.PlyLimit), Referee: c.referee(), Engine: row.Engine, WeightsHash: row.WeightsHash})
		c.makers[s] = maker
	}
	start, err := row.Start(c.variant)
	if err != nil {
		return nil, nil, err
	}
	r := &Record{
		Number: row.Game, Seed: uint64(row.Seed), Opening: row.Opening, OpeningPlies: int(row.OpeningPlies),
		Start: start, Termination: termination, Outcome: row.Result(),
	}
	if err := c.parseMoves(r, row.Moves); err != nil {
		return nil, nil, err
	}
	r.Evals = make([]Eval, len(r.Moves))
	for i := range min(len(cells), len(r.Evals)) {
		r.Evals[i] = cells[i].eval()
	}
	return maker, r, nil
}

// referee returns who ended games by endgame tables, if that is known.
func (c *shardCheck) referee() Referee {
	if c.expect == nil {
		return Referee{}
	}
	return c.expect.Referee
}

func (c *shardCheck) parseMoves(r *Record, moves string) error {
	p := r.Start
	for text := range strings.FieldsSeq(moves) {
		c.legal = c.variant.Generate(&p, c.legal[:0])
		m, err := notation.ParseMove(c.variant, &p, c.legal, text)
		if err != nil {
			return fmt.Errorf("ply %d: %w", len(r.Moves), err)
		}
		r.Moves = append(r.Moves, m)
		p = p.Make(m)
	}
	return nil
}

// eval is the inverse of setEval.
func (r *PositionRow) eval() Eval {
	e := Eval{Searched: r.Score != nil || r.WinIn != nil, Depth: uint8(r.Depth), Nodes: uint32(r.Nodes)}
	if r.Score != nil {
		e.Score = *r.Score
	}
	if r.WinIn != nil {
		e.WinIn = *r.WinIn
	}
	return e
}

// differences names the columns in which two rows differ, with what is there
// and what should be.
func differences[T any](have, want *T) string {
	var out []string
	h, w := reflect.ValueOf(have).Elem(), reflect.ValueOf(want).Elem()
	for i := range h.NumField() {
		a, b := cellText(h.Field(i)), cellText(w.Field(i))
		if a != b {
			name, _, _ := strings.Cut(h.Type().Field(i).Tag.Get("parquet"), ",")
			out = append(out, fmt.Sprintf("column %s is %s, should be %s", name, a, b))
		}
	}
	return strings.Join(out, "; ")
}

func cellText(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "null"
		}
		v = v.Elem()
	}
	if s, ok := v.Interface().(string); ok && len(s) > 200 {
		return fmt.Sprintf("%.200q…", s)
	}
	return fmt.Sprintf("%#v", v.Interface())
}

// cursor reads rows one at a time and hashes them.
type cursor[T any] struct {
	in   *tableReader[T]
	rows []T
	hash *rowHash[T]
	end  bool
}

func newCursor[T any](in *tableReader[T], hash *rowHash[T]) *cursor[T] {
	return &cursor[T]{in: in, hash: hash}
}

// peek returns the next row, nil at the end; it lasts until skip.
func (c *cursor[T]) peek() (*T, error) {
	if len(c.rows) == 0 && !c.end {
		rows, err := c.in.next()
		switch {
		case err == io.EOF:
			c.end = true
		case err != nil:
			return nil, err
		}
		c.rows = rows
		c.hash.add(rows)
	}
	if len(c.rows) == 0 {
		return nil, nil
	}
	return &c.rows[0], nil
}

func (c *cursor[T]) skip() { c.rows = c.rows[1:] }
