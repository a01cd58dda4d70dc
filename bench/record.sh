#!/usr/bin/env bash
# Runs papers and writes what comes out beside them:
#
#   bench/record.sh TUSKER quick|full [--force] PAPER...
#
# quick.csv or full.csv are what `tusker reproduce PAPER --format csv` prints,
# results.md is the text of the full set; where only the judging changed, and no
# run is needed, a test writes it: TUSKER_BLESS=1 cargo test -p tusker --test cli
# results_are_what. With --force every row is run, else
# those that are in results/ already stay as they are.
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
for paper in "$@"; do
  "$tusker" reproduce "$paper" "${quick[@]}" "${force[@]}" --format csv > "papers/$paper/$set.csv.new"
  mv "papers/$paper/$set.csv.new" "papers/$paper/$set.csv"
  if [ "$set" = full ]; then
    {
      echo "# What the full set gave"
      echo
      echo "One run for each row, base reading, as \`full.csv\` has it. Where a value is missed, the reason is given as far as it is known. \`tusker reproduce $paper\` runs it anew and prints the same."
      echo
      echo '```'
      echo "\$ tusker reproduce $paper --recorded papers"
      "$tusker" reproduce "$paper" --recorded papers
      echo '```'
    } > "papers/$paper/results.md.new"
    mv "papers/$paper/results.md.new" "papers/$paper/results.md"
  fi
done
