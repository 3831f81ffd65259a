// Package convert turns a dataset into files for other programs: Arrow IPC,
// CSV and PDN.
//
// It does not change what the data mean, and nothing reads these files back
// into a dataset. Every row goes through the readers of export/dataset, which
// check what they read; memory does not grow with the dataset.
//
// Start at Write.
package convert
