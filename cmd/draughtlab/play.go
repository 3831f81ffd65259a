package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// playOptions are the flags of play.
type playOptions struct {
	thinkFlags
	variant, side, fen string
}

// newPlayCommand makes `draughtlab play`.
func newPlayCommand() *cobra.Command {
	o := playOptions{side: "white"}
	cmd := &cobra.Command{
		Use:   "play --variant V",
		Short: "Play a game against the engine in the terminal",
		Long: `You play against the engine. The board is drawn before each of your moves, with
the moves you may make; type one, or its number. Type help for what else there
is: undo, hint, save, resign, quit. Games on a pipe work the same.

A game that endgame tables say is drawn is over (G7); --tables 0 plays it on.`,
		Example: `  draughtlab play --variant croda
  draughtlab play --variant russian --side black --time 2s --profile federation
  draughtlab play --variant frisian --fen B:W31,K46:B5,18 --nodes 20000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", "))
	f.StringVar(&o.side, "side", o.side, "your side: white or black")
	f.StringVar(&o.fen, "fen", "", "position to begin with; the start of the game if not given")
	o.add(cmd)
	requireVariant(cmd)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("side", cobra.FixedCompletions([]string{"white", "black"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (o *playOptions) run(ctx context.Context, in io.Reader, out io.Writer) error {
	v, err := variants.ByName(o.variant)
	if err != nil {
		return err
	}
	person := engine.White
	switch o.side {
	case "white":
	case "black":
		person = engine.Black
	default:
		return fmt.Errorf("--side %q: use white or black", o.side)
	}
	start := v.Start
	if o.fen != "" {
		if start, err = notation.ParseFEN(v, o.fen); err != nil {
			return err
		}
	}
	t, err := o.thinker(ctx, v, func() bool { return false })
	if err != nil {
		return err
	}
	s := &playSession{
		thinker: t, person: person, game: engine.NewGame(v, t.profile, start, 0),
		in: bufio.NewReader(in), out: bufio.NewWriter(out), signs: signsFor(o.ascii),
	}
	t.referee.Stop(s.game)
	return s.run()
}

// playSession is a game between a person and the engine.
type playSession struct {
	thinker  *thinker
	person   engine.Color
	game     *engine.Game
	resigned bool // by the person

	in    *bufio.Reader
	out   *bufio.Writer // flushed before each line is read
	signs boardSigns
}

// run plays until the person quits or the input ends. After the end of the
// game it may still be saved or taken back.
func (s *playSession) run() error {
	s.say("%s: you are %s. Type a move, its number, or help.", titleOf(s.thinker.variant), colorNames[s.person])
	for fresh := true; ; {
		if fresh {
			if err := s.advance(); err != nil {
				return err
			}
			s.show()
		}
		fmt.Fprint(s.out, "> ")
		if err := s.out.Flush(); err != nil {
			return err
		}
		line, err := readLine(s.in, 4096)
		switch {
		case err == io.EOF:
			s.say("")
			return s.out.Flush()
		case err == errLongLine:
			s.say("That line is too long.")
			continue
		case err != nil:
			return fmt.Errorf("standard input: %w", err)
		}
		var quit bool
		if fresh, quit = s.obey(strings.TrimSpace(string(line))); quit {
			s.say("") // ends the line of the prompt, where no terminal has done so
			return s.out.Flush()
		}
	}
}

func (s *playSession) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *playSession) over() bool { return s.resigned || s.game.Termination() != engine.Ongoing }

// outcome is the result of the game; resigning loses.
func (s *playSession) outcome() engine.Outcome {
	if s.resigned {
		return engine.Wins(s.person.Other())
	}
	return s.game.Outcome()
}

// advance lets the engine move if it is its turn.
func (s *playSession) advance() error {
	p := s.game.Position()
	if s.over() || p.Side() == s.person {
		return nil
	}
	if err := s.out.Flush(); err != nil { // the person may have to wait
		return err
	}
	r, err := s.thinker.think(p, s.game.Keys(), nil, false)
	if err != nil {
		return err
	}
	s.say("\n%s plays %s  (%s, depth %d)", colorNames[p.Side()], lineText(s.thinker.variant, p, r.PV)[0], scoreText(r), r.Depth)
	return s.make(r.Move)
}

// make makes a move; the game may be over by endgame tables then.
func (s *playSession) make(m engine.Move) error {
	err := s.game.Play(m)
	s.thinker.referee.Stop(s.game)
	return err
}

// show draws the board and lists the moves, or tells how the game ended.
func (s *playSession) show() {
	p := s.game.Position()
	s.say("\n%s", drawBoard(s.thinker.variant, &p, s.person, s.signs))
	switch {
	case s.resigned:
		s.say("%s: %s resigned.", outcomeText(s.outcome()), colorNames[s.person])
	case s.over():
		s.say("%s: %s.", outcomeText(s.outcome()), endText(s.game))
	default:
		s.list()
	}
}

// list prints the legal moves with their numbers.
func (s *playSession) list() {
	p, choices := s.game.Position(), s.choices()
	words := make([]string, len(choices))
	for i, m := range choices {
		words[i] = fmt.Sprintf("%d:%s", i+1, notation.FormatMove(s.thinker.variant, &p, m, choices))
	}
	fmt.Fprint(s.out, wrapWords(words, ""))
}

// choices returns the legal moves in the order of their numbers: square by
// square.
func (s *playSession) choices() []engine.Move {
	b := s.thinker.variant.Board
	out := slices.Clone(s.game.Legal())
	slices.SortStableFunc(out, func(x, y engine.Move) int {
		return cmp.Or(b.Index(x.From())-b.Index(y.From()), b.Index(x.To())-b.Index(y.To()))
	})
	return out
}

const playHelp = `a move       such as c3-d4 or 32x21, or the number of one in the list
undo         take your last move back
hint         what the engine would play
fen          the position as text
board        draw the board again
save FILE    write the game to a new PDN file
resign       give the game up
quit         leave; the end of input does the same`

// obey does what a line says. fresh tells that the position changed, or is to
// be shown again.
func (s *playSession) obey(line string) (fresh, quit bool) {
	command, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(command) {
	case "":
	case "help", "?":
		s.say(playHelp)
	case "quit", "exit", "q":
		return false, true
	case "board":
		return true, false
	case "fen":
		p := s.game.Position()
		s.say("%s", notation.FormatFEN(s.thinker.variant, &p))
		if p.HasRuns() {
			s.say("king runs %s", notation.FormatRuns(s.thinker.variant, &p))
		}
	case "save":
		s.save(strings.TrimSpace(rest))
	case "undo":
		return s.undo(), false
	case "resign":
		if !s.over() {
			s.resigned = true
			return true, false
		}
		s.say("The game is over already.")
	case "hint":
		s.hint()
	default:
		return s.move(line), false
	}
	return false, false
}

// move makes the move a line names, by text or number.
func (s *playSession) move(text string) bool {
	if s.over() {
		s.say("The game is over: type save FILE, undo or quit.")
		return false
	}
	p, legal := s.game.Position(), s.choices()
	var m engine.Move
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > len(legal) {
			s.say("There is no move number %d: they go from 1 to %d.", n, len(legal))
			return false
		}
		m = legal[n-1]
	} else if m, err = notation.ParseMove(s.thinker.variant, &p, legal, text); err != nil {
		s.say("%v", err)
		return false
	}
	if err := s.make(m); err != nil {
		panic(fmt.Sprintf("play: a legal move was refused: %v", err))
	}
	return true
}

// undo takes back moves until it is the person's turn again, at least one of
// the person's.
func (s *playSession) undo() bool {
	if s.resigned {
		s.resigned = false
		return true
	}
	moves := append([]engine.Move(nil), s.game.Moves()...)
	first := s.game.Start().Side() // moves made: the person's have this parity
	for n := len(moves) - 1; n >= 0; n-- {
		if (n%2 == 0) != (first == s.person) {
			continue
		}
		s.game.Reset(s.game.Start())
		for _, m := range moves[:n] {
			if err := s.game.Play(m); err != nil {
				panic(fmt.Sprintf("play: a move of the game was refused: %v", err))
			}
		}
		return true
	}
	s.say("There is no move of yours to take back.")
	return false
}

// hint tells what the engine would play for the person.
func (s *playSession) hint() {
	if s.over() {
		s.say("The game is over.")
		return
	}
	p := s.game.Position()
	r, err := s.thinker.think(p, s.game.Keys(), nil, false)
	if err != nil {
		s.say("%v", err)
		return
	}
	s.say("%s  (depth %d)", scoreText(r), r.Depth)
	fmt.Fprint(s.out, wrapWords(lineText(s.thinker.variant, p, s.thinker.toTheEnd(p, r)), ""))
}

// save writes the game as PDN. It replaces no file, and writes no game that is
// over without a move: whoever reads one takes its result for unknown.
func (s *playSession) save(path string) {
	if err := s.write(path); err != nil {
		s.say("Not saved: %v", err)
		return
	}
	s.say("Saved as %s.", path)
}

func (s *playSession) write(path string) error {
	if path == "" {
		return errors.New("name a file, as in save game.pdn")
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: name a new file", path)
	}
	if s.over() && len(s.game.Moves()) == 0 {
		return errors.New("no move was made, and in PDN a game without moves has no result")
	}
	names := [2]string{"draughtlab", "draughtlab"}
	names[s.person] = "person"
	tags := []notation.Tag{
		{Name: "Event", Value: "draughtlab play"},
		{Name: "White", Value: names[0]},
		{Name: "Black", Value: names[1]},
		{Name: "Profile", Value: s.game.Profile().String()},
	}
	switch {
	case s.resigned:
		tags = append(tags, notation.Tag{Name: "Termination", Value: "resignation"})
	case s.over():
		tags = append(tags, notation.Tag{Name: "Termination", Value: s.game.Termination().String()})
	}
	g, err := notation.NewGame(s.thinker.variant, s.game.Start(), s.game.Moves(), s.outcome(), tags...)
	if err != nil {
		return err
	}
	file, err := dataset.CreatePending(path)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := notation.Write(file, g); err != nil {
		return err
	}
	return file.Commit()
}
