#!/usr/bin/env bash
# Runs papers and writes the results next to them:
#
#   bench/record.sh TUSKER quick|full [--force] PAPER...
#
# Every row is run with the largest number of seeds that any row in the file has: three, if runs
# are cheap (use SEEDS=3 bench/record.sh ... the first time).
#
# quick.csv or full.csv is what `tusker reproduce PAPER --format csv` prints. With --force every
# row is run; otherwise those that are already in results/ stay as they are.
set -euo pipefail
cd "$(dirname "$0")/.."
tusker=$1 set=$2
shift 2
force=()
if [ "${1:-}" = --force ]; then
  force=(--force)
  shift
fi
quick=()
[ "$set" = full ] || quick=(--quick)
# how many seeds the rows of a file have: `1`, `3`, `1 or 3`
seeds() {
  local column
  column=$(head -1 "$1" | tr , '\n' | grep -nx replicates | cut -d: -f1)
  tail -n +2 "$1" | cut -d, -f"$column" | sort -nu | paste -sd_ | sed 's/_/ or /g'
}
for paper in "$@"; do
  file=papers/$paper/$set.csv
  most=${SEEDS:-$([ ! -f "$file" ] || seeds "$file")}
  most=${most##* }
  replicates=()
  [ "${most:-1}" = 1 ] || replicates=(--replicates "$most")
  "$tusker" reproduce "$paper" "${quick[@]}" "${force[@]}" "${replicates[@]}" --format csv > "$file.new"
  mv "$file.new" "$file"
done
