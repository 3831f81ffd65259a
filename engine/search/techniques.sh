#!/bin/sh
# Plays the matches behind the table of TECHNIQUES.md and prints its rows: each
# technique of the search against the search without it, per game, at equal
# nodes and at equal time. Stopped, it goes on where it was when it is run
# again; about an hour on two quiet cores. Run it from the top of the repository:
#
#   make build && engine/search/techniques.sh >rows.md
#
# DIR keeps the games; take another one for another build. NODES and TIME are
# the limits of a move, GAMES and TIMED_GAMES the games of a cell. SEED must not
# be one by which techniques were chosen.
set -eu

program=${DRAUGHTLAB:-bin/draughtlab}
dir=${DIR:-runs/techniques}
seed=${SEED:-20261130}
nodes=${NODES:-2000} games=${GAMES:-1000}
time=${TIME:-2ms} timed_games=${TIMED_GAMES:-600}
techniques=${TECHNIQUES:-aspiration extension futility hashmove history killers lmr pvs table threat}

mkdir -p "$dir"

# cell NAME GAME KIND FLAGS...: the Elo of one match, as it stands in the table.
cell() {
	name=$1 game=$2 file=$dir/$3-$2-$1
	shift 3
	"$program" match default "off=$name" --variant "$game" --seed "$seed" --quiet \
		--json --out "$file.jsonl" "$@" >"$file.tmp"
	mv "$file.tmp" "$file.json"
	number() { sed -n "s/.*\"$1\":\(-\{0,1\}[0-9.]\{1,\}\).*/\1/p;t;s/.*/nan/p" "$file.json"; } # no number: infinite
	printf '%+.0f (%+.0f to %+.0f)' "$(number elo)" "$(number elo_low)" "$(number elo_high)"
}

echo "| name | Croda, nodes | Croda, time | Russian, nodes | Russian, time | Frisian, nodes | Frisian, time |"
echo "|---|---|---|---|---|---|---|"
for name in $techniques; do
	row="| $name |"
	for game in croda russian frisian; do
		case $game-$name in
		frisian-lmr | frisian-threat) row="$row not used | not used |" && continue ;;
		esac
		at_nodes=$(cell "$name" "$game" nodes --nodes "$nodes" --games "$games")
		at_time=$(cell "$name" "$game" time --time "$time" --games "$timed_games")
		row="$row $at_nodes | $at_time |"
	done
	echo "$row"
done
