// Package engine holds what the three draughts games have in common: squares
// and bitboards, positions, moves, the draw articles and the course of a game.
//
// It knows nothing of files, search or evaluation. Each game is a *Variant
// made by its own package (engine/croda, engine/russian, engine/frisian) from
// facts and a specialised move generator; engine/variants lists them. Article
// numbers in comments and tests (G3, C7, R7, F9 …) are those of engine/RULES.md.
//
// Start reading at Position, then Move, Variant and Game.
package engine
