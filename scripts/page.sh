#!/usr/bin/env bash
# Puts the live page together in a folder (target/page): page/, what it shares with reports, and
# the engine, if scripts/wasm.sh has built it. Any web server can hand the folder out.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-target/page}
mkdir -p "$out/report"
cp page/*.html page/*.css page/*.js "$out"
cp report/colours.css report/style.css "$out/report"
cp report/page/{look,data,zoom,ends,panels,export}.js "$out/report"
cp report/vendor/uPlot.iife.min.js report/vendor/uPlot.min.css report/vendor/uPlot.LICENSE "$out/report"
