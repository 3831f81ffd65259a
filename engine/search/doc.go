// Package search chooses moves: iterative deepening with a principal variation
// search (alpha-beta with null windows) in aspiration windows, a hash table,
// killers and histories, late-move reductions and futility. Captures
// are compulsory in all three games, so a position in which a capture is due is
// never evaluated; all captures are searched until a quiet position is reached.
// One in which the opponent threatens to capture is not quiet until the side to
// move has replied. TECHNIQUES.md has what each technique was measured to be
// worth; Options.Off switches them off.
//
// It knows nothing of clocks on the wall, files or games in progress: the same
// position, history and limits give the same result. Rules come from the
// Variant: its moves, its draw articles and their clocks, and the program's
// repetition rule where a game applies it. Endings of few pieces it does not
// search if it has endgame tables (Options.Tables).
//
// Start reading at Searcher.Search, then node.
package search
