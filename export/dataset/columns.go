package dataset

// Column documents one column of a table. This is the only place where columns
// are described: the dataset card is made from it, and tests hold FORMAT.md
// and the row types to it.
type Column struct {
	// Name and Type are those in the files: int8, int16, int32, int64, bool or
	// string.
	Name, Type string
	// Nullable tells whether a cell may be null; Meaning says when.
	Nullable bool
	// Unit is what a number counts; empty for text and truth values.
	Unit string
	// Meaning is one sentence or two, with the side of view where there is one.
	Meaning string
}

// Columns returns the columns of a table in the order of the files.
func Columns(t Table) []Column {
	if t == GamesTable {
		return gameColumns()
	}
	return positionColumns()
}

const (
	runSquareMeaning = "square of the king whose consecutive quiet moves are counted (Frisian three-move rule), as bit number in the bitboards plus 1; 0 where no run counts. Frisian: the number of the square"
	runMeaning       = "consecutive quiet moves made with that king, 0 to 3 (Frisian); 0 where no run counts"
	outcomeMeaning   = "result of the game from White's view: 1 White won, 0 draw, -1 Black won; null where the program stopped the game, which then has no result"
)

func gameColumns() []Column {
	return []Column{
		{"game", "int64", false, "number", "number of the game in the run and variant, from 0; key of the table"},
		{"seed", "int64", false, "bits", "seed the game was played with: 64 bits, to be read as unsigned"},
		{"profile", "string", false, "", "draw articles in force: basic (the rule sheet) or federation"},
		{"opening", "string", false, "", "where the game began: start, random, or the name of a line of an opening file"},
		{"opening_plies", "int32", false, "plies", "how many of the first moves were not chosen by an engine"},
		{"start_fen", "string", false, "", "position before the first move as FEN; draw clocks are at 0 there"},
		{"start_white_run_square", "int8", false, "square", "in the start position, White: " + runSquareMeaning},
		{"start_white_run", "int8", false, "moves", "in the start position, White: " + runMeaning},
		{"start_black_run_square", "int8", false, "square", "in the start position, Black: " + runSquareMeaning},
		{"start_black_run", "int8", false, "moves", "in the start position, Black: " + runMeaning},
		{"moves", "string", false, "", "all moves in PDN, separated by single blanks; captures name more squares than two where two would be ambiguous"},
		{"plies", "int32", false, "plies", "number of moves of the game"},
		{"ply_limit", "int32", false, "plies", "number of plies after which the program would stop the game; 0 means never"},
		{"outcome", "int8", true, "points", outcomeMeaning},
		{"termination", "string", false, "", "what ended the game: no-moves (a win), an article of draw (kings-1v1, kings-2v1, kings-3v1, kings-only-15, balance-30, balance-60, main-road-5, lone-king-5), repetition, dead-draw or table-win (an endgame table says how it ends under its articles), adjudicated (by the score), ply-limit (stopped)"},
		{"termination_class", "string", false, "", "win, rule (an article of draw), repetition, table (dead-draw, table-win), adjudicated, or cut-off (ply-limit: no result)"},
		{"engine", "string", false, "", "who played both sides, its limits a move, and the pieces of the endgame tables it used"},
		{"weights_hash", "string", false, "", "hash of the evaluation weights; empty if none were used"},
		{"table_pieces", "int8", false, "pieces", "number of pieces on the board when an endgame table ended the game; 0 where none did"},
	}
}

func positionColumns() []Column {
	return []Column{
		{"game", "int64", false, "number", "number of the game: join with the games table of the same variant"},
		{"ply", "int32", false, "plies", "moves made before this position: 0 is the start position; the position after the last move has no row"},
		{"white_men", "int64", false, "bits", "bitboard of White's men"},
		{"white_kings", "int64", false, "bits", "bitboard of White's kings"},
		{"black_men", "int64", false, "bits", "bitboard of Black's men"},
		{"black_kings", "int64", false, "bits", "bitboard of Black's kings"},
		{"white_to_move", "bool", false, "", "whether White is to move"},
		{"white_run_square", "int8", false, "square", "White: " + runSquareMeaning},
		{"white_run", "int8", false, "moves", "White: " + runMeaning},
		{"black_run_square", "int8", false, "square", "Black: " + runSquareMeaning},
		{"black_run", "int8", false, "moves", "Black: " + runMeaning},
		{"since_change", "int16", false, "plies", "plies since the last capture or promotion, or the start; stops at 255"},
		{"since_man", "int16", false, "plies", "plies since the last capture or man's move, or the start; stops at 255"},
		{"road", "int16", false, "plies", "plies through which three pieces have stood against a lone king on the main road (Russian); stops at 255"},
		{"legal_moves", "int16", false, "moves", "number of legal moves"},
		{"capture_due", "bool", false, "", "whether the side to move must capture; false: it has no capture, whatever the opponent threatens"},
		{"move", "string", false, "", "the move made here, as in the moves of the game"},
		{"score", "int16", true, "1/100 man", "engine's score from the view of the side to move; null if the position was not searched or win_in is set"},
		{"win_in", "int16", true, "plies", "plies to a win the engine has proven for the side to move, or minus those to its loss; null where neither was proven"},
		{"depth", "int16", false, "plies", "last completed depth of the search; 0 if not searched"},
		{"nodes", "int32", false, "nodes", "positions searched for this move; 0 if not searched"},
		{"outcome", "int8", true, "points", outcomeMeaning},
		{"plies_to_end", "int32", false, "plies", "moves of the game still to come, this one included"},
		{"termination", "string", false, "", "what ended the game, as in the games table"},
	}
}
