// Package selfplay plays the games of a run: it makes the plan of shards from a
// Config, draws openings, lets a pool of workers play and hands the games, in
// the order of their numbers, to export/dataset.
//
// A game is a function of the run's Config and its number only, so the files
// are the same bytes for any number of workers and after any interruption.
//
// It knows nothing of command-line flags, Parquet or statistics.
//
// Start reading at Config, then Run, InOrder and Table.
package selfplay
