package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/eval"
	"draughtlab/engine/notation"
	"draughtlab/engine/search"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// maxHubLine is the longest line understood, in bytes; a position with a
// thousand captures fits.
const maxHubLine = 1 << 20

// newHubCommand makes `draughtlab hub`.
func newHubCommand() *cobra.Command {
	o := hubSettings{tables: strconv.Itoa(endgame.DefaultPieces), variant: "frisian", profile: engine.Basic.String(), hash: 16, order: "top"}
	cmd := &cobra.Command{
		Use:   "hub",
		Short: "Be an engine for other programs (Hub protocol 2)",
		Long: `Speaks version 2 of the Hub protocol, which Scan and other draughts engines
speak, on standard input and output: an engine for GUIs, referees and libraries
such as py-draughts and pydraughts. The flags are the first values of the
engine's parameters, which the other side may set.

  variant         frisian, russian or croda. Positions have 50, 32 or 64
                  letters, row by row from the top left.
  profile         draw articles in force: basic or federation
  weights         weights file; empty for the built-in weights
  tables          endgame tables: pieces of the built-in ones (3 or 2), 0 for
                  none, or a directory with larger ones
  hash            size of the hash table in megabytes
  move-numbering  where number 1 is in moves: top (as in positions, Russian
                  1 = b8) or bottom (Russian 1 = a1, as pydraughts has it)

Scores are in men; a win in n plies is 100 less n hundredths. A position without
moves that follows from the one before by one or two moves continues that game:
its draw clocks, king runs and repetitions count. A "go" that cannot be followed
gets an error and a "done" without a move.

Some clients lose lines that come together (py-draughts 1.10 does: it waits on a
pipe for what it has read already). For them --terse keeps every answer to one
line. A client that takes a path and no flags gets a script:
  #!/bin/sh
  exec draughtlab hub --terse`,
		Example: `  draughtlab hub
  draughtlab hub --variant croda --weights croda.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", o.variant, "game: "+strings.Join(variants.Names(), ", "))
	f.StringVar(&o.profile, "profile", o.profile, "draw articles in force: basic or federation")
	f.StringVar(&o.weights, "weights", "", "weights `file`; the built-in ones if not given")
	addTablesFlag(f, &o.tables)
	f.IntVar(&o.hash, "hash", o.hash, "size of the hash table in `MB`, 1 to 4096")
	f.StringVar(&o.order, "move-numbering", o.order, "where number 1 is in moves: top or bottom")
	f.BoolVar(&o.terse, "terse", false, "no lines with id, param and info: one line an answer")
	completeVariant(cmd)
	return cmd
}

// hubSettings are the parameters of the engine, as text and unchecked.
type hubSettings struct {
	variant, profile, weights, order string
	tables                           string
	hash                             int // MB
	terse                            bool
}

func (o hubSettings) run(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	s := &hubSession{ctx: ctx, out: out, stderr: stderr, now: time.Now}
	if err := s.configure(o); err != nil {
		return err
	}
	if _, err := s.weights(); err != nil {
		return err
	}
	if dir, _, err := parseTables(o.tables); err != nil {
		return err
	} else if dir != "" {
		if _, err := openAdviser(ctx, stderr, o.tables, s.variant, s.profile); err != nil {
			return err
		}
	}
	return s.serve(in) // the engine is built at "init": endgame tables may take seconds
}

// set returns the settings with one changed; unknown names change nothing.
func (o hubSettings) set(name, value string) (hubSettings, error) {
	switch name {
	case "variant":
		o.variant = value
	case "profile":
		o.profile = value
	case "weights":
		o.weights = value
	case "tables":
		o.tables = value
	case "move-numbering":
		o.order = value
	case "hash":
		n, err := strconv.Atoi(value)
		if err != nil {
			return o, fmt.Errorf("hash %q is no number", value)
		}
		o.hash = n
	}
	return o, nil
}

// hubSession is the engine's side of one conversation. The goroutine of serve
// owns it; a running search has its own, and the searcher, until it is done.
type hubSession struct {
	ctx      context.Context // of the command; building endgame tables ends with it
	now      func() time.Time
	settings hubSettings
	variant  *engine.Variant
	profile  engine.Profile
	text     *notation.Hub

	searcher *search.Searcher // nil: to be built from the settings
	game     *hubGame         // nil: no position was given
	level    hubLevel
	running  *hubSearch // nil: no search

	stderr  io.Writer // for notes that are no part of the conversation
	writing sync.Mutex
	out     io.Writer
	broken  error // of the first line that could not be written
}

// hubLevel bounds a search.
type hubLevel struct {
	infinite bool // until "stop", asked for explicitly
	depth    int
	nodes    uint64
	time     timeControl
}

// hubSearch is a search under way.
type hubSearch struct {
	clock *searchClock
	done  chan struct{} // closed behind the line "done"
}

// configure takes settings over, or none of them.
func (s *hubSession) configure(o hubSettings) error {
	v, err := variants.ByName(o.variant)
	if err != nil {
		return err
	}
	profile, err := engine.ParseProfile(o.profile)
	if err != nil {
		return err
	}
	if o.hash < 1 || o.hash > 4096 {
		return fmt.Errorf("hash %d: give 1 to 4096 MB", o.hash)
	}
	order, ok := map[string]notation.HubOrder{"top": notation.FromTop, "bottom": notation.FromBottom}[o.order]
	if !ok {
		return fmt.Errorf("move-numbering %q: use top or bottom", o.order)
	}
	if v != s.variant {
		s.game = nil
	}
	s.settings, s.variant, s.profile, s.text, s.searcher = o, v, profile, notation.NewHub(v, order), nil
	return nil
}

// weights reads the weights of the settings.
func (s *hubSession) weights() (*eval.Weights, error) {
	if s.settings.weights == "" {
		return eval.Default(s.variant), nil
	}
	return readWeights(s.settings.weights, s.variant)
}

// build makes the searcher. Where the weights cannot be read it takes the
// built-in ones, where the endgame tables cannot, none, and tells it.
func (s *hubSession) build() {
	w, err := s.weights()
	if err != nil {
		s.fail(fmt.Errorf("%w: the built-in weights play", err))
		w = eval.Default(s.variant)
	}
	r, err := openAdviser(s.ctx, s.stderr, s.settings.tables, s.variant, s.profile)
	if err != nil {
		s.fail(fmt.Errorf("%w: no endgame tables are used", err))
		r = dataset.Referee{}
	}
	s.searcher = search.New(s.variant, w, search.Options{
		Profile: s.profile, HashEntries: hashEntries(s.settings.hash), Tables: r.Tables, TablePieces: r.Pieces,
	})
}

// hashEntries returns how many entries of 16 bytes, a power of two, are in so
// many megabytes.
func hashEntries(mb int) int { return 1 << (bits.Len(uint(mb)<<20/16) - 1) }

// send writes one line.
func (s *hubSession) send(format string, args ...any) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.broken == nil {
		_, s.broken = fmt.Fprintf(s.out, format+"\n", args...)
	}
}

// fail tells an error to the other side.
func (s *hubSession) fail(err error) {
	text := strings.NewReplacer(`"`, "'", "\n", " ", "\r", " ").Replace(err.Error())
	s.send(`error message="%s"`, strings.ToValidUTF8(text, "?"))
}

// serve answers line by line until quit or the end of input.
func (s *hubSession) serve(in io.Reader) error {
	defer s.halt()
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r, maxHubLine)
		switch {
		case err == io.EOF:
			return nil
		case err == errLongLine:
			s.fail(fmt.Errorf("a line is longer than %d bytes", maxHubLine))
			continue
		case err != nil:
			return fmt.Errorf("standard input: %w", err)
		}
		quit := s.handle(parseHubLine(string(line)))
		s.writing.Lock()
		err = s.broken
		s.writing.Unlock()
		if quit || err != nil {
			return err
		}
	}
}

// halt stops the search, if one runs, and waits for its end.
func (s *hubSession) halt() {
	if s.running != nil {
		s.running.clock.halt()
		<-s.running.done
		s.running = nil
	}
}

// handle does what a line asks. What it does not know it ignores, as the
// protocol wants. All but ping, ponder-hit and stop end a running search.
func (s *hubSession) handle(c hubCommand) (quit bool) {
	switch c.name {
	case "ping":
		s.send("pong")
		return false
	case "ponder-hit":
		if s.running != nil {
			s.running.clock.start()
		}
		return false
	case "hub", "set-param", "init", "new-game", "pos", "level", "go", "stop", "quit":
		s.halt()
	}
	switch c.name {
	case "hub":
		s.introduce()
	case "set-param":
		s.setParam(c)
	case "init":
		s.build()
		s.send("ready")
	case "new-game":
		s.game = nil
		if s.searcher != nil {
			s.searcher.Clear()
		}
	case "pos":
		if err := s.setPosition(c); err != nil {
			s.game = nil
			s.fail(err)
		}
	case "level":
		level, err := parseHubLevel(c)
		if err != nil {
			s.fail(err)
		}
		s.level = level
	case "go":
		if err := s.launch(c); err != nil {
			s.fail(err)
			s.send("done")
		}
	}
	return c.name == "quit"
}

// introduce answers "hub": who the engine is and what can be set.
func (s *hubSession) introduce() {
	o := s.settings
	if o.terse {
		s.send("wait")
		return
	}
	s.send("id name=draughtlab version=%s author=draughtlab", version)
	s.send(`param name=variant value=%s type=enum values="%s"`, o.variant, strings.Join(variants.Names(), " "))
	s.send(`param name=profile value=%s type=enum values="basic federation"`, o.profile)
	s.send(`param name=weights value="%s" type=string`, strings.ReplaceAll(o.weights, `"`, "'"))
	s.send(`param name=tables value="%s" type=string`, strings.ReplaceAll(o.tables, `"`, "'"))
	s.send("param name=hash value=%d type=int min=1 max=4096", o.hash)
	s.send(`param name=move-numbering value=%s type=enum values="top bottom"`, o.order)
	s.send("wait")
}

// setParam changes one parameter; what cannot be is told and changes nothing.
func (s *hubSession) setParam(c hubCommand) {
	o, err := s.settings.set(c.get("name"), c.get("value"))
	if err == nil && o != s.settings {
		err = s.configure(o)
	}
	if err != nil {
		s.fail(err)
	}
}

// setPosition follows "pos".
func (s *hubSession) setPosition(c hubCommand) error {
	p, err := s.text.ParsePosition(c.get("pos"))
	if err != nil {
		return err
	}
	moves := strings.Fields(c.get("moves"))
	if s.game != nil && len(moves) == 0 && s.game.follow(&p) {
		return nil
	}
	g := &hubGame{variant: s.variant, position: p, keys: []uint64{p.Key()}}
	for i, text := range moves {
		m, err := s.text.ParseMove(g.legal(), text)
		if err != nil {
			return fmt.Errorf("move %d of the position: %w", i+1, err)
		}
		g.play(m)
	}
	s.game = g
	return nil
}

// hubGame is the game so far as the other side told it. Draw articles do not
// end it: the referee may know others.
type hubGame struct {
	variant  *engine.Variant
	position engine.Position
	keys     []uint64 // as engine.Game.Keys
}

func (g *hubGame) legal() []engine.Move { return g.variant.Generate(&g.position, nil) }

func (g *hubGame) play(m engine.Move) {
	g.position = g.position.Make(m)
	g.keys = append(g.keys, g.position.Key())
}

// follow plays the one or two moves that lead to a position with the pieces and
// the side to move of p; it reports false, and plays nothing, if there are none.
func (g *hubGame) follow(p *engine.Position) bool {
	same := func(q *engine.Position) bool {
		return q.Pieces == p.Pieces && q.Kings == p.Kings && q.Side() == p.Side()
	}
	if same(&g.position) {
		return true
	}
	for _, m := range g.legal() {
		q := g.position.Make(m)
		if same(&q) {
			g.play(m)
			return true
		}
		if q.Side() == p.Side() {
			continue
		}
		for _, reply := range g.variant.Generate(&q, nil) {
			if r := q.Make(reply); same(&r) {
				g.play(m)
				g.play(reply)
				return true
			}
		}
	}
	return false
}

// thinkTime is how long "go think" thinks when no level was ever given.
const thinkTime = time.Second

// launch follows "go": it begins a search in a goroutine of its own.
func (s *hubSession) launch(c hubCommand) error {
	if s.game == nil {
		return fmt.Errorf("go: no position was given")
	}
	if len(s.game.legal()) == 0 {
		return fmt.Errorf("go: the game is over, no move is legal")
	}
	if s.searcher == nil {
		s.build()
	}
	level, analyze, ponder := s.level, c.has("analyze"), c.has("ponder")
	if level == (hubLevel{}) && !analyze && !ponder {
		level.time.move = thinkTime
	}
	clock := newSearchClock(s.now, level.time)
	if !ponder {
		clock.start()
	}
	s.running = &hubSearch{clock: clock, done: make(chan struct{})}
	limits := search.Limits{Nodes: level.nodes, Depth: level.depth, Stop: clock.stop, Deep: analyze}
	go s.search(s.running, s.game.position, s.game.keys, limits)
	return nil
}

// search runs one search and tells what it finds.
func (s *hubSession) search(run *hubSearch, p engine.Position, keys []uint64, l search.Limits) {
	defer close(run.done)
	told := uint64(0)
	l.Progress = func(r search.Result) {
		s.info(r, run.clock.elapsed())
		told = r.Nodes
		run.clock.progress()
	}
	r, err := s.searcher.Search(p, keys, l)
	if err != nil {
		s.fail(err)
		s.send("done")
		return
	}
	if r.Nodes != told {
		s.info(r, run.clock.elapsed())
	}
	answer := ""
	if len(r.PV) > 1 {
		answer = " ponder=" + s.text.Move(r.PV[1])
	}
	s.send("done move=%s%s", s.text.Move(r.Move), answer)
}

// info tells the state of a search.
func (s *hubSession) info(r search.Result, elapsed time.Duration) {
	if s.settings.terse {
		return
	}
	pv := make([]string, len(r.PV))
	for i, m := range r.PV {
		pv[i] = s.text.Move(m)
	}
	seconds := elapsed.Seconds()
	s.send(`info depth=%d score=%.2f nodes=%d time=%.3f nps=%.3f pv="%s"`, r.Depth, hubScore(r), r.Nodes, seconds,
		float64(r.Nodes)/1e6/math.Max(seconds, 1e-6), strings.Join(pv, " "))
}

// hubScore is a score in men, side to move; a win in n plies is 100 - n/100.
func hubScore(r search.Result) float64 {
	switch {
	case r.WinIn > 0:
		return 100 - float64(r.WinIn)/100
	case r.WinIn < 0 || r.Score < -search.MaxEval: // -Win: lost with no move made
		return -100 - float64(r.WinIn)/100
	}
	return float64(max(-9000, min(9000, r.Score))) / 100
}

// parseHubLevel reads a level; its fields replace all of the one before. On
// error the fields that could be read are returned with it.
func parseHubLevel(c hubCommand) (hubLevel, error) {
	var l hubLevel
	var bad error
	for _, a := range c.args {
		var err error
		n, seconds := 0.0, time.Duration(0)
		switch a.name {
		case "depth", "nodes", "moves", "move-time", "time", "inc":
			n, err = strconv.ParseFloat(a.value, 64)
			if err != nil || math.IsNaN(n) || math.Abs(n) > 1e15 {
				bad = fmt.Errorf("level %s=%s: this is no number", a.name, a.value)
				continue
			}
			seconds = time.Duration(max(-1e6, min(1e6, n)) * float64(time.Second))
		}
		switch a.name {
		case "infinite":
			l.infinite = true
		case "depth":
			l.depth = int(max(1, min(n, 64)))
		case "nodes":
			l.nodes = uint64(max(1, n))
		case "moves":
			l.time.moves = int(max(0, min(n, 1000)))
		case "move-time":
			l.time.move = max(leastTime, seconds)
		case "time":
			l.time.timed, l.time.left = true, seconds
		case "inc":
			l.time.timed, l.time.inc = true, max(0, seconds)
		}
	}
	return l, bad
}

// hubCommand is a line of the protocol: a command and its arguments.
type hubCommand struct {
	name string
	args []hubArg
}

// hubArg is name=value; a flag has no value.
type hubArg struct{ name, value string }

func (c hubCommand) get(name string) string {
	for _, a := range c.args {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (c hubCommand) has(name string) bool {
	for _, a := range c.args {
		if a.name == name {
			return true
		}
	}
	return false
}

// parseHubLine splits a line at its blanks, but not within double quotes, which
// are dropped. There is no wrong line.
func parseHubLine(line string) hubCommand {
	var words []string
	var word strings.Builder
	quoted, begun := false, false
	for _, c := range []byte(line) {
		switch {
		case c == '"':
			quoted, begun = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\r'):
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return hubCommand{}
	}
	c := hubCommand{name: words[0]}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		c.args = append(c.args, hubArg{name, value})
	}
	return c
}
