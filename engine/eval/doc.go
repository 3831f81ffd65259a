// Package eval judges quiet positions: one evaluation a game, linear in its
// weights, after Scan by Fabien Letouzey, whose evaluation of 10x10 draughts
// is made of ternary patterns tuned by logistic regression.
//
// A Features says what is looked at, a Weights what it is worth. Evaluator,
// which searches use, and Features.Trace, which tuners use, both read what
// Features.gather and gatherMen collect, so they cannot disagree. What gatherMen
// collects is a sum over men, so an Evaluator calls it beforehand, for the men
// of each pattern, and adds it to the pattern's weight. Everything is collected
// once for each side from its own view of the board (Black's is White's turned
// by 180 degrees), so the evaluation is the same for both colours by
// construction.
//
// The package knows nothing of search, and judges statically: the caller sees
// to it that no capture is due.
//
// Start reading at Features, then gather and Evaluator.
package eval
