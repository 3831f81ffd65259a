package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	variant, profile string
	json             bool
}

// replayedFile counts the games of one file.
type replayedFile struct {
	Type      string `json:"type"` // "file"
	File      string `json:"file"`
	Games     int    `json:"games"`
	Plies     int    `json:"plies"` // legal ones
	WhiteWins int    `json:"white_wins"`
	Draws     int    `json:"draws"`
	BlackWins int    `json:"black_wins"`
	Unknown   int    `json:"unknown"`       // no result, or tag and text disagree
	Empty     int    `json:"without_moves"` // among unknown
	PastDraw  int    `json:"past_draw"`     // went on after a draw article applied
	Illegal   int    `json:"illegal"`       // games with a move that is not legal
	Bad       int    `json:"unreadable"`    // games that could not be read
}

// replayFault is a game that does not replay.
type replayFault struct {
	Type   string `json:"type"` // "illegal" or "unreadable"
	File   string `json:"file"`
	Game   int    `json:"game"`
	Line   int    `json:"line"`
	Ply    int    `json:"ply,omitempty"`
	Move   string `json:"move,omitempty"`
	Reason string `json:"reason"`
}

// newReplayCommand makes `draughtlab replay`.
func newReplayCommand() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay FILE.pdn...",
		Short: "Replay recorded games and report illegal moves",
		Long: `Plays the games of PDN files move by move and prints, for each file, games,
plies and results, and before that one line for each game that does not replay:
file, line, game, ply, move and reason. The exit code is 1 if there is one. Draw
articles end no game here; the table counts the games that went on after one.
"-" reads standard input.`,
		Example: `  draughtlab replay masters.pdn
  draughtlab replay --variant russian --json club-*.pdn`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.InOrStdin(), cmd.OutOrStdout(), args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", "", "game, whatever the tags say: "+strings.Join(variants.Names(), ", "))
	f.StringVar(&o.profile, "profile", engine.Basic.String(), "draw articles to look at: basic or federation")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line: faults as they are met, one object a file")
	completeVariant(cmd)
	return cmd
}

func (o *replayOptions) run(stdin io.Reader, stdout io.Writer, args []string) error {
	r := replayer{out: stdout, json: o.json}
	var err error
	if r.profile, err = engine.ParseProfile(o.profile); err != nil {
		return err
	}
	if o.variant != "" {
		if r.variant, err = variants.ByName(o.variant); err != nil {
			return err
		}
	}
	var files []*replayedFile
	games, faults := 0, 0
	for _, path := range args {
		file, err := r.file(path, stdin)
		if err != nil {
			return err
		}
		files = append(files, file)
		games += file.Games
		faults += file.Illegal + file.Bad
	}
	if !o.json {
		if err := printReplayed(stdout, files); err != nil {
			return err
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d of %d games do not replay", faults, games)
	}
	return nil
}

// replayer replays files.
type replayer struct {
	variant *engine.Variant // nil: as the tags say
	profile engine.Profile
	out     io.Writer
	json    bool
}

// file replays the games of one file. Faults are printed; only what hinders
// the reading is an error.
func (r *replayer) file(path string, stdin io.Reader) (*replayedFile, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	file := &replayedFile{Type: "file", File: path}
	reader := notation.NewReader(in)
	for {
		g, err := reader.Next()
		if err == io.EOF {
			break
		}
		var fault *replayFault
		if syntax, ok := err.(*notation.SyntaxError); ok {
			fault = &replayFault{Type: "unreadable", Game: syntax.Game, Line: syntax.Line, Reason: syntax.Fault}
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", dataset.Quoted(path), err)
		} else {
			fault = r.game(g, file)
		}
		file.Games++
		if fault != nil {
			if err := r.report(file, fault); err != nil {
				return nil, err
			}
		}
	}
	if file.Games == 0 {
		return nil, fmt.Errorf("%s: no game found: is it a PDN file?", dataset.Quoted(path))
	}
	if r.json {
		return file, json.NewEncoder(r.out).Encode(file)
	}
	return file, nil
}

// game replays one game and counts it.
func (r *replayer) game(g *notation.Game, file *replayedFile) *replayFault {
	unreadable := func(err error) *replayFault {
		return &replayFault{Type: "unreadable", Game: g.Number, Line: g.Line, Reason: err.Error()}
	}
	v := r.variant
	if v == nil {
		var err error
		if v, err = g.Variant(); err != nil {
			return unreadable(fmt.Errorf("%w (--variant says which game it is)", err))
		}
	}
	played, err := notation.Replay(v, r.profile, g)
	if err != nil {
		return unreadable(err)
	}
	file.Plies += len(played.Moves)
	if played.Article != engine.Ongoing {
		file.PastDraw++
	}
	if len(g.Moves) == 0 {
		file.Empty++
	}
	switch g.Outcome() {
	case engine.WhiteWins:
		file.WhiteWins++
	case engine.BlackWins:
		file.BlackWins++
	case engine.Draw:
		file.Draws++
	default:
		file.Unknown++
	}
	if bad := played.Illegal; bad != nil {
		return &replayFault{Type: "illegal", Game: g.Number, Line: bad.Line, Ply: bad.Ply, Move: bad.Text, Reason: bad.Reason}
	}
	return nil
}

// report prints and counts a fault.
func (r *replayer) report(file *replayedFile, fault *replayFault) error {
	fault.File = file.File
	where := fmt.Sprintf("game %d", fault.Game)
	if fault.Type == "illegal" {
		file.Illegal++
		where += fmt.Sprintf(", ply %d", fault.Ply)
	} else {
		file.Bad++
	}
	if r.json {
		encoder := json.NewEncoder(r.out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(fault)
	}
	_, err := fmt.Fprintf(r.out, "%s:%d: %s: %s\n", dataset.Quoted(fault.File), fault.Line, where, fault.Reason)
	return err
}

// printReplayed prints the counts of the files, each below the name of its file,
// so that the width does not depend on names.
func printReplayed(out io.Writer, files []*replayedFile) error {
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\t\t\t\t\t\twithout\tpast a\t\t\t")
	fmt.Fprintln(t, "games\tplies\tWhite\tdraws\tBlack\tunknown\tmoves\tdraw\tillegal\tunreadable\t")
	for _, f := range files {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", f.Games, f.Plies, f.WhiteWins, f.Draws, f.BlackWins,
			f.Unknown, f.Empty, f.PastDraw, f.Illegal, f.Bad)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	const heading = 2 // lines
	var text string
	for i, line := range strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n") {
		if i >= heading {
			text += dataset.Quoted(files[i-heading].File) + "\n"
		}
		text += strings.TrimRight(line, " ") + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}
