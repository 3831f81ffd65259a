// Package notation turns positions, moves and games into text and back: FEN,
// PDN and move text. It writes one strict form and reads leniently. It knows
// no files, and of the rules only what the games' generators say.
//
// Start reading at ReadFEN and FormatFEN, then ParseMove and FormatMove, then
// Reader, Game, Replay and Write.
//
// # FEN
//
// Written: W:Wa1,c3,Kd4:Bf6,Kh8 — side to move, White's pieces, Black's; of each
// side the men, then the kings, in the order of the square names (a1, a2, … h8,
// or by number).
//
//	read                                    as
//	W31-50, WK1-5                           ranges of numbered squares; K holds for all
//	trailing dot, blanks around signs       nothing
//	B before W                              the same
//	WA1,ka3 · W07                           a1, Ka3 · 7 (side letters before a list: upper case)
//	Russian squares as numbers              1 = b8, 2 = d8 … 32 = g1
//	W:W:W31-50:B1-20                        turn written twice: once
//	W:W:BK47, B:W50:B                       a side without pieces
//	:H0:F30 behind the pieces               move clocks: Setup.Ignored
//	:+337+0 (n, then the square)            Frisian king run of the king on 37
//	:+2+0 (n alone)                         king run if there is but one king, else Setup.Ignored
//
//	refused                                 because
//	W:33:B:13                               a list without its colour
//	a missing or a third list, ?            no position
//	names and numbers in one text           which are meant?
//	numbers in Croda                        its squares have none
//	WG23, WP5                               ghosts: a capture that is not over
//	a square twice, for one side or both    no position
//	a man on its crowning rank              it would be a king (see ParseComposedFEN)
//	W3 1                                    3 and 1, or 31?
//
// King runs as JSON, {"W":[46,3]}, are for ParseRuns and FormatRuns.
//
// # Moves
//
// Written: c3-d4, a3xc5; the whole route, f8xh6xf4xd6xb4, where another legal
// move has the same ends.
//
//	read                                    as
//	a3:c5, 17×37, 17*37, E5-G3              captures; × in Latin-1, too
//	a3b4, 07-12                             a3-b4, 7-12
//	c3-d4!?, d6-c5*                         the move; marks of the annotator
//	22-17 in Russian                        c3-b4: by number, as in FEN
//	42x22x13x24, 42x22x24, 42x24            landing squares, all or some, in their order
//	42-22, 22-13, 13-24                     one capture written hop by hop
//	f8xb4, a whole route of one move        that move, even if a longer capture has these ends
//
//	refused                                 because
//	ends that fit several moves             ambiguous: the candidates are named
//	c3xd4 for a quiet move                  there is nothing to capture
//	cd4, Kd4, c3                            a square is missing or unknown
//
// # PDN
//
// Written by Write: one tag a line, moves in lines of at most 80 characters,
// the tag Result and the result behind the moves the same. GameType is 25 for
// Russian, 40 for Frisian; Croda has no number and gets [GameType "croda"].
//
//	read                                    as
//	CRLF, byte order mark, Latin-1          text
//	[Event    "a \"b\""], "a "b""           a "b"
//	{…}, ; to the end of the line           comments; kept
//	(…), nested; $1, !?; lines with %       skipped
//	1. 1... 01. 1.c3-d4                     move numbers; not checked
//	1-0 0-1 1/2-1/2 2-0 0-2 1-1 0-0 *       a result, but only where a game ends: 1-1 before
//	                                        another move is a move text. A lone * ends always
//	- - -- for moves                        moves not recorded: Game.Unrecorded at the end of a
//	                                        game, elsewhere no replay goes past them
//	tags without moves, then Event or a     a game without moves; its result counts for nothing
//	  known tag behind an empty line
//	tags without a result behind the moves  a game of unknown result (Game.Outcome)
//	tag Result unlike that result, "4-6"    unknown
//	GameType 97 (Frysk!) with FEN           Frisian
//	[Variant "Croda"] and other names       that game, if GameType does not name another
//
//	refused                                 because (the games behind it are read)
//	a tag, comment, variation not closed    the text is damaged
//	sizes over MaxToken, MaxWord, MaxMoves, memory is bounded
//	  MaxGame
//	UTF-16                                  save it as UTF-8
//	other game types                        their rules are not here
package notation
