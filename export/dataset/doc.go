// Package dataset keeps self-play games in Parquet: the schema and its
// version, shards, the manifest, readers, the content hash, and the proof that
// a dataset is what the rules and its configuration say.
//
// It does not know who plays the games, and not who reads them. A run
// directory holds config.json (the player's; only its hash is kept here),
// manifest.json, DATASET.md, and two tables in Hive layout,
// games/variant=V/shard-00017.parquet and positions/variant=V/…, described in
// FORMAT.md and in columns.go.
//
// Writers start at CreateShard, readers at Games and Positions, and Verify
// checks a whole directory.
package dataset
