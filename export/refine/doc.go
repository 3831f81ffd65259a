// Package refine makes training sets of run directories and of earlier
// training sets: a sample of the positions, equal positions as one row with
// sums of their outcomes, parts for training and judging, several sets as one.
//
// All four read and write the same rows (Row), described in columns.go and in
// FORMAT.md, in a directory that is there whole or not at all. They stream:
// what must be brought together, by game or by position, goes through temporary
// files (spool), so that memory does not grow with the rows. What they write
// depends on inputs and settings, never on memory, cores or time.
//
// It does not know how games are played, searched, or learnt from.
//
// Start reading at Sample, Dedupe, Split and Merge; Open and Set.Rows read what
// they wrote, Verify checks it.
package refine
