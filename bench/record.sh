#!/usr/bin/env bash
# Runs papers and writes the results next to them:
#
#   bench/record.sh TUSKER quick|full [--force] PAPER...
#
# Every row is run with the largest number of seeds that any row in the file has: three, if runs
# are cheap (use SEEDS=3 bench/record.sh ... the first time).
#
# quick.csv or full.csv is what `tusker reproduce PAPER --format csv` prints; results.md is the
# full set as text. If only the verdicts have changed and no run is needed, a test writes it:
# TUSKER_BLESS=1 cargo test -p tusker --test cli results_are_what. With --force every row is
# run; otherwise those that are already in results/ stay as they are.
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
  if [ "$set" = full ]; then
    {
      echo "# What the full set gave"
      echo
      runs="$(seeds "$file") seeds for each row"
      [ "$runs" != "1 seeds for each row" ] || runs="One run for each row"
      echo "$runs, base reading, as \`full.csv\` has it. Where a value is missed, the reason is given as far as it is known. \`tusker reproduce $paper${replicates[*]:+ ${replicates[*]}}\` runs it anew and prints the same."
      echo
      echo '```'
      echo "\$ tusker reproduce $paper --recorded papers"
      "$tusker" reproduce "$paper" --recorded papers
      echo '```'
    } > "papers/$paper/results.md.new"
    mv "papers/$paper/results.md.new" "papers/$paper/results.md"
  fi
done
