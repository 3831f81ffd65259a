package refine

import "draughtlab/export/dataset"

// SchemaVersion is the version of the rows this program writes; it reads that
// one. Columns may be added at the end within a version; whatever changes the
// meaning of one that exists makes a new version.
const SchemaVersion = 1

// Columns describes the columns of a training set in the order of the files.
// This is the only place where they are described: the card is made from it,
// and tests hold FORMAT.md and Row to it.
func Columns() []dataset.Column {
	const (
		runSquare = "square of the king whose consecutive quiet moves are counted (Frisian three-move rule), as bit number in the bitboards plus 1; 0 where no run counts"
		run       = "consecutive quiet moves made with that king, 0 to 3 (Frisian); 0 where no run counts"
		idle      = "; rows of dedupe have 0 where no draw article counts"
		first     = "; where several positions are one row, that of the first of them by source, game and ply"
	)
	return []dataset.Column{
		{Name: "white_men", Type: "int64", Unit: "bits", Meaning: "bitboard of White's men"},
		{Name: "white_kings", Type: "int64", Unit: "bits", Meaning: "bitboard of White's kings"},
		{Name: "black_men", Type: "int64", Unit: "bits", Meaning: "bitboard of Black's men"},
		{Name: "black_kings", Type: "int64", Unit: "bits", Meaning: "bitboard of Black's kings"},
		{Name: "white_to_move", Type: "bool", Meaning: "whether White is to move; always true in rows of dedupe"},
		{Name: "white_run_square", Type: "int8", Unit: "square", Meaning: "White: " + runSquare},
		{Name: "white_run", Type: "int8", Unit: "moves", Meaning: "White: " + run},
		{Name: "black_run_square", Type: "int8", Unit: "square", Meaning: "Black: " + runSquare},
		{Name: "black_run", Type: "int8", Unit: "moves", Meaning: "Black: " + run},
		{Name: "since_change", Type: "int16", Unit: "plies", Meaning: "plies since the last capture or promotion, or the start; stops at 255" + idle},
		{Name: "since_man", Type: "int16", Unit: "plies", Meaning: "plies since the last capture or man's move, or the start; stops at 255" + idle},
		{Name: "road", Type: "int16", Unit: "plies", Meaning: "plies through which three pieces have stood against a lone king on the main road (Russian); stops at 255" + idle},
		{Name: "legal_moves", Type: "int16", Unit: "moves", Meaning: "number of legal moves"},
		{Name: "capture_due", Type: "bool", Meaning: "whether the side to move must capture; false: it has no capture, whatever the opponent threatens"},
		{Name: "count", Type: "int64", Unit: "positions", Meaning: "positions of games that are this row, 1 or more; the columns from white_wins to proven_losses tell of these"},
		{Name: "white_wins", Type: "int64", Unit: "positions", Meaning: "those whose game White of this row won"},
		{Name: "draws", Type: "int64", Unit: "positions", Meaning: "those whose game was drawn"},
		{Name: "black_wins", Type: "int64", Unit: "positions", Meaning: "those whose game Black of this row won; games the program stopped have no result and are in none of the three"},
		{Name: "scored", Type: "int64", Unit: "positions", Meaning: "those with an engine's score in score_sum: searched, and no win proven"},
		{Name: "score_sum", Type: "int64", Unit: "1/100 man", Meaning: "sum of these scores, each from the view of the side to move"},
		{Name: "proven_wins", Type: "int64", Unit: "positions", Meaning: "those in which the engine had proven a win for the side to move"},
		{Name: "proven_losses", Type: "int64", Unit: "positions", Meaning: "those in which it had proven a loss"},
		{Name: "source", Type: "int32", Unit: "number", Meaning: "which of the sources in provenance.json the position is from, from 0" + first},
		{Name: "game", Type: "int64", Unit: "number", Meaning: "number of its game there" + first},
		{Name: "ply", Type: "int32", Unit: "plies", Meaning: "moves made before it in that game" + first},
		{Name: "opening_plies", Type: "int32", Unit: "plies", Meaning: "how many of the first moves of that game were not chosen by an engine"},
		{Name: "opening", Type: "int64", Unit: "bits", Meaning: "hash of the position in which the engines took over that game, equal for its images under the symmetries of the game"},
		{Name: "one_opening", Type: "bool", Meaning: "whether all positions of the row are from games with that opening"},
	}
}
