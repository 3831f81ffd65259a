// Package tune fits the weights of the evaluation to the outcomes of a
// dataset's games: Texel's method (Peter Österlund, "Texel's Tuning Method",
// chessprogramming wiki) as a logistic regression.
//
// It reads the positions of a dataset and the coefficients eval.Features.Trace
// gives for them, and returns weights and a report on how they were found. It
// knows nothing of how games are played or searched, and no file name but the
// dataset's. Its evaluation, scores and outcomes are White's view throughout.
//
// # The model
//
// The evaluation of a position is s = Σ value·(f·opening + (1-f)·endgame) men,
// where f = phase/eval.MaxPhase. White is expected to score 1/(1+exp(-K·s))
// points. K, the log-odds of one man, is fitted first, with the starting
// weights, and then kept, which holds the scale of the weights where it was.
// The label y of a position is the outcome of its game (1, 1/2, 0 for White),
// or (1-λ)·outcome + λ/(1+exp(-K·score)) when blended with the search score.
// Minimised is the mean cross-entropy -y·ln p - (1-y)·ln(1-p) over the training
// positions, plus L2/(2G)·Σ(w-start)² with weights in men and G the number of
// training games: the posterior of weights with a normal prior of variance
// 1/L2 square men around the starting weights, where a game, all of whose
// positions share one outcome, counts as one observation. A feature with
// little data stays near its start, and data that can be separated do not
// drive weights to infinity. The cross-entropy of a drawn position is never
// below ln 2. Features that occur in fewer than MinCount training positions
// keep their starting weights exactly.
//
// # What is used
//
// Positions with an outcome, where no capture is due, whose score is no proven
// win or loss, and which an engine searched (opening moves are not searched).
// Adjudicated games have an outcome and are used; games cut off have none.
// The holdout is a set of whole games, drawn by the hash of the game's number.
//
// Colour symmetry is in the features: a position and its counterpart, turned
// and with colours exchanged, have opposite coefficients, so each position
// teaches both sides and no mirrored copy is added.
//
// Results depend on the dataset and the options, not on the number of workers:
// sums are taken over a fixed number of chunks in a fixed order.
//
// Start reading at Run; Matrix is the data, objective the loss, Fit the search.
package tune
