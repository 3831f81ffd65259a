package selfplay

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/notation"
	"draughtlab/export/dataset"
)

// maxInputFile is the number of bytes that openings and weights may have.
const maxInputFile = 64 << 20

// NewFileRef names a file as a Config does.
func NewFileRef(path string) (FileRef, error) {
	ref, _, err := readRef(path)
	return ref, err
}

func readRef(path string) (FileRef, []byte, error) {
	data, err := dataset.ReadFile(path, maxInputFile)
	if err != nil {
		return FileRef{}, nil, err
	}
	sum := sha256.Sum256(data)
	return FileRef{filepath.Base(path), hex.EncodeToString(sum[:])}, data, nil
}

// DefaultWeights is the name of the weights of eval.Default.
const DefaultWeights = "default"

// NewWeightsRef names the weights in a file, or if path is empty or the name of
// built-in weights those, as a Config does.
func NewWeightsRef(v *engine.Variant, path string) (WeightsRef, error) {
	w, name, err := readWeights(v, path)
	if err != nil {
		return WeightsRef{}, err
	}
	return WeightsRef{name, w.Hash()}, nil
}

func readWeights(v *engine.Variant, path string) (*eval.Weights, string, error) {
	if path == "" {
		path = DefaultWeights
	}
	if w, ok := eval.BuiltIn(v, path); ok {
		return w, path, nil
	}
	data, err := dataset.ReadFile(path, maxInputFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("no weights file %s", path)
	}
	if err != nil {
		return nil, "", err
	}
	w, err := eval.Read(bytes.NewReader(data), v)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return w, filepath.Base(path), nil
}

// weights reads the weights a config names for a variant; nil if it names none.
func (c *Config) weights(v *engine.Variant, path string) (*eval.Weights, error) {
	ref, ok := c.Weights[v.Name]
	if !ok {
		return nil, nil
	}
	if _, ok := eval.BuiltIn(v, ref.Name); ok {
		path = ref.Name
	} else if path == "" {
		return nil, fmt.Errorf("this run plays %s with the weights file %s, which is not kept with it: give --weights %s=FILE", v.Name, ref.Name, v.Name)
	}
	w, _, err := readWeights(v, path)
	if err != nil {
		return nil, err
	}
	if h := w.Hash(); h != ref.Hash {
		return nil, fmt.Errorf("the %s weights %s have hash %s, not %s as when this run began", v.Name, ref.Name, h, ref.Hash)
	}
	return w, nil
}

// openings reads the openings a config names for a variant, in the order in
// which they are played; none if it names none.
func (c *Config) openings(v *engine.Variant, path string) ([]Opening, error) {
	want, ok := c.Openings[v.Name]
	if !ok {
		return nil, nil
	}
	if path == "" {
		return nil, fmt.Errorf("this run plays %s from the openings of %s, which are not kept with it: give --openings %s=FILE", v.Name, want.Name, v.Name)
	}
	ref, data, err := readRef(path)
	if err != nil {
		return nil, err
	}
	if ref.SHA256 != want.SHA256 {
		return nil, fmt.Errorf("%s is not the file this run began with: its SHA-256 is %s, not %s", path, ref.SHA256, want.SHA256)
	}
	profile, err := engine.ParseProfile(c.Profile)
	if err != nil {
		return nil, err
	}
	openings, err := ReadOpenings(v, profile, path, data, c.OpeningPlies)
	if err != nil {
		return nil, err
	}
	n := int64(len(openings))
	if c.Player.Kind == Search && c.RandomPlies.Max == 0 && (c.Games > n || c.Games > 1 && c.GamesPerOpening > 1) {
		return nil, fmt.Errorf("%s: %d games from %d openings without random plies would repeat games: add random plies or play fewer games", path, c.Games, n)
	}
	for _, o := range openings {
		if len(o.Moves)+c.RandomPlies.Max >= c.MaxPlies {
			return nil, fmt.Errorf("%s: opening %s with up to %d random plies leaves nothing to play in games of at most %d plies", path, o.ID, c.RandomPlies.Max, c.MaxPlies)
		}
	}
	rng := newRand(hashSeed(fmt.Sprintf("draughtlab openings %d %s", c.Seed, v.Name)))
	rng.Shuffle(len(openings), func(i, j int) { openings[i], openings[j] = openings[j], openings[i] })
	return openings, nil
}

// ReadOpenings reads a file of openings. Its name's ending tells the format:
//
//	.pdn        each game is an opening, or its first plies moves (0: all)
//	.fen, .txt  a position in FEN a line; empty lines and lines that begin
//	            with # are skipped
//	.csv        the columns id, kind, moves and fen, and perhaps table: a
//	            "normal" row is moves from the initial position, a
//	            "displaced-start" row the position fen, its moves a mere label
//
// Of openings that come to the same position the first is kept. An opening
// after which the game is over is an error, and so is a file without openings.
func ReadOpenings(v *engine.Variant, profile engine.Profile, name string, data []byte, plies int) ([]Opening, error) {
	r := openingReader{
		game: engine.NewGame(v, profile, v.Start, 0), variant: v,
		name: name, plies: plies, seen: map[engine.Position]bool{},
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	read := map[string]func([]byte) error{".pdn": r.pdn, ".fen": r.fen, ".txt": r.fen, ".csv": r.csv}[strings.ToLower(filepath.Ext(name))]
	if read == nil {
		return nil, fmt.Errorf("%s: openings come from a file that ends in .pdn, .fen, .txt or .csv", name)
	}
	if err := read(data); err != nil {
		return nil, err
	}
	if len(r.openings) == 0 {
		return nil, fmt.Errorf("%s: no opening in this file", name)
	}
	return r.openings, nil
}

type openingReader struct {
	game     *engine.Game
	variant  *engine.Variant
	name     string
	plies    int
	openings []Opening
	seen     map[engine.Position]bool
}

// add plays the moves from start and keeps the opening if its last position is
// new.
func (r *openingReader) add(id string, start engine.Position, moves []string) error {
	g := r.game
	g.Reset(start)
	for i, text := range moves {
		p := g.Position()
		m, err := notation.ParseMove(r.variant, &p, g.Legal(), text)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			return fmt.Errorf("opening %s, ply %d: %w", id, i, err)
		}
	}
	if t := g.Termination(); t != engine.Ongoing {
		return fmt.Errorf("opening %s: the game is over (%s) after %d plies", id, t, len(moves))
	}
	last := g.Position()
	last.SetCounts(0, 0, 0)
	if !r.seen[last] {
		r.seen[last] = true
		r.openings = append(r.openings, Opening{ID: id, Start: start, Moves: append([]engine.Move(nil), g.Moves()...)})
	}
	return nil
}

// maxFEN is the number of bytes of a line that can be a FEN; it keeps others
// out of error messages.
const maxFEN = 1000

func (r *openingReader) fen(data []byte) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		if len(text) > maxFEN {
			return fmt.Errorf("%s:%d: a line of %d bytes is no FEN", r.name, n, len(text))
		}
		p, err := notation.ParseFEN(r.variant, text)
		if err == nil {
			err = r.add(fmt.Sprintf("line %d", n), p, nil)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", r.name, n, err)
		}
	}
	return nil
}

func (r *openingReader) csv(data []byte) error {
	rows := csv.NewReader(bytes.NewReader(data))
	header, err := rows.Read()
	if err != nil {
		return fmt.Errorf("%s: no header line: %w", r.name, err)
	}
	column := map[string]int{}
	for i, name := range header {
		column[strings.TrimSpace(name)] = i
	}
	for _, name := range []string{"id", "kind", "moves", "fen"} {
		if _, ok := column[name]; !ok {
			return fmt.Errorf("%s: no column %q in the header line", r.name, name)
		}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		id := row[column["id"]]
		if table, ok := column["table"]; ok {
			id = row[table] + " " + id
		}
		if err := r.csvRow(id, row[column["kind"]], row[column["moves"]], row[column["fen"]]); err != nil {
			line, _ := rows.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", r.name, line, err)
		}
	}
}

func (r *openingReader) csvRow(id, kind, moves, fen string) error {
	displaced := kind == "displaced-start"
	if !displaced && kind != "normal" {
		return fmt.Errorf("opening %s: kind %q is neither normal nor displaced-start", id, kind)
	}
	p, err := notation.ParseFEN(r.variant, fen)
	if err != nil {
		return fmt.Errorf("opening %s: %w", id, err)
	}
	if displaced {
		return r.add(id, p, nil)
	}
	if err := r.add(id, r.variant.Start, strings.Fields(moves)); err != nil {
		return err
	}
	if last := r.game.Position(); last.Key() != p.Key() {
		return fmt.Errorf("opening %s: its moves lead to %s, not to %s", id, notation.FormatFEN(r.variant, &last), fen)
	}
	return nil
}

func (r *openingReader) pdn(data []byte) error {
	games := notation.NewReader(bytes.NewReader(data))
	for {
		g, err := games.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if err := r.pdnGame(g); err != nil {
			return fmt.Errorf("%s:%d: %w", r.name, g.Line, err)
		}
	}
}

func (r *openingReader) pdnGame(g *notation.Game) error {
	id := fmt.Sprintf("game %d", g.Number)
	if g.Tag("GameType") != "" || g.Tag("Variant") != "" {
		v, err := g.Variant()
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if v.Name != r.variant.Name {
			return fmt.Errorf("%s is a game of %s, not of %s", id, v.Name, r.variant.Name)
		}
	}
	start, err := g.Start(r.variant)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	var moves []string
	for _, m := range g.Moves {
		if len(moves) == r.plies && r.plies > 0 {
			break
		}
		moves = append(moves, m.Text)
	}
	return r.add(id, start, moves)
}
