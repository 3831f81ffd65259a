// Package endgame solves endings with few pieces: win, draw or loss and the
// distance to the end, for every placement, by retrograde analysis.
//
// A Tables answers Probe for the positions it covers, exactly, under one set of
// Rules. Build makes tables and keeps them in files, Open reads them, Default
// makes those of up to three pieces on first use, Verify derives them anew,
// Stats counts them. The package knows nothing of search, and of the games only
// what their generators and Ending functions say: how pieces step, whether a
// board is its own mirror image, whether king runs (F9) count and which draw
// articles count plies is asked of the engine.Variant (see newGeometry and
// clockLimit).
//
// Start reading at Rules, then Tables.Probe, slice (the index), builder (the
// analysis) and builder.predecessors.
//
// # What is solved
//
// A state is a placement with what the rules need beside it: the king runs of
// both sides where a side has men and kings (F9), and the plies since the last
// change of material where an article counts them (F10, R9, R10). It is always
// seen by the side to move, as if that were White: turning the board and the
// colours changes nothing in any of the games. Croda's board is also its own
// mirror image, which halves most of its tables.
//
// The distance is the number of plies to the position in which the loser is to
// move and cannot: the winner takes the shortest way, the loser the longest,
// both under the articles. It is odd for wins and even for losses of the side
// to move, so one number tells both.
//
// # Why clocks are exact
//
// In an ending that an article counts, every (placement, plies) is a state of
// its own, so a win is one only if it is reached, or the material left, in the
// plies that remain. Who enters such an ending from a larger one does so by a
// capture or a promotion, and the count begins at 0. A capture that is the last
// ply of a count leaves a drawn game (Position.CountFilled). One king against one (F10)
// is drawn or goes on as Variant.Ending says.
//
// # Why repetition is in no table
//
// A position is the same wherever it stands in a game, but its third occurrence
// is not. Still the value is right. Who can win, wins in a number of plies that
// falls with every ply: no position occurs twice on the way, so no repetition
// within the win can end it. Who can draw in the game without repetition keeps
// the draw for ever, and a third occurrence only ends it as the draw it is. Only
// occurrences from before the win began may matter: in a game that has already
// seen positions of the winning way twice, the way may touch a third occurrence;
// a player who follows the table from the first winning position on never has
// such a past.
//
// # The federation's articles
//
// An article of draw adds ways of drawing to a game and takes no move away. So
// who can avoid losing without articles can avoid it with them: a draw of the
// pure table is a draw under any articles. (F9 takes moves away; it is no draw
// article, and is part of the state.) A win may be lost to an article. Russian
// federation tables are solved up to three pieces, where one count decides: with
// kings on both sides there are at most two pieces against a lone king, drawn 10
// plies after the last change (LoneKing5), and as no count of SinceMan is above
// that of SinceChange, 15 moves of kings only (30 plies) never come first; where
// one side has only men, every other ply is a man's and kings alone never make
// 30. With more pieces several counts run at once. There Probe takes the pure
// table: its draws are draws, and a win is reported only if it is over before
// any article could strike (see horizon); else Probe reports nothing.
package endgame
