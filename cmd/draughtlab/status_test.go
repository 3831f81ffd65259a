package main

import (
	"strings"
	"testing"
	"time"

	"draughtlab/selfplay"
)

// statusInProcess runs the command in this process.
func statusInProcess(args ...string) (stdout, stderr string, err error) {
	return inProcess(newStatusCommand(), "", args...)
}

// Protects what is said of the time left: it follows from the last shards, and
// from nothing where they tell nothing.
func TestOutlook(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	done := func(secondsAgo ...int64) (status []selfplay.ShardStatus) {
		for i, ago := range secondsAgo {
			status = append(status, selfplay.ShardStatus{
				Shard: selfplay.Shard{First: int64(i) * 100, Last: int64(i+1) * 100},
				State: selfplay.Done, Written: now.Add(-time.Duration(ago) * time.Second),
			})
		}
		return status
	}
	for _, c := range []struct {
		status []selfplay.ShardStatus
		left   int64
		want   string
	}{
		{nil, 100, "How long the rest takes is not known yet: it follows from the last shards."},
		{done(5), 100, "How long the rest takes is not known yet: it follows from the last shards."},
		{done(5, 5), 100, "How long the rest takes is not known yet: it follows from the last shards."},
		{done(60, 20), 100, "100 games are left: 40 s at the pace of the last shards (2.5 games/s).\nThe last shard was finished 20 s ago."},
		{done(20, 60, 40), 1_000_000, "1000000 games are left: 2 d 7 h at the pace of the last shards (5 games/s).\nThe last shard was finished 20 s ago."},
		{done(-10, 30), 200, "200 games are left: 1 min 20 s at the pace of the last shards (2.5 games/s)."}, // the clock was set back
	} {
		if got := outlook(c.status, c.left, now); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// Protects job arrays: their tasks are those with anything left to do.
func TestUnfinished(t *testing.T) {
	var status []selfplay.ShardStatus
	for _, state := range []selfplay.ShardState{
		selfplay.Done, selfplay.Begun, selfplay.Done, selfplay.Done, selfplay.Missing, selfplay.Damaged, selfplay.Missing,
	} {
		status = append(status, selfplay.ShardStatus{State: state})
	}
	for perTask, want := range map[int]string{1: "1,4-6", 2: "0,2-3", 3: "0-2", 4: "0-1", 100: "0"} {
		if got := selfplay.FormatShards(unfinished(status, perTask)); got != want {
			t.Errorf("%d a task: %q, want %q", perTask, got, want)
		}
	}
}

// Protects the user from slips.
func TestStatusBadInput(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{dir, "config.json"},
		{dir + "/none", "no such file"},
		{"gs://bucket/run", "only s3://"},
		{dir + " --array --per-task 0", "--per-task 0"},
		{dir + " --per-task 5", "--per-task without --array"},
	} {
		out, _, err := statusInProcess(strings.Fields(c.args)...)
		wantError(t, err, c.want)
		if out != "" {
			t.Errorf("%s: %s", c.args, out)
		}
	}
}
