#!/bin/sh
# Installs what `make dist` has made into Debian systems with nothing else in them, one each
# for the tar, the package and the wheel, and runs a simulation there. As root; about two
# minutes, most of them to set up the first system with debootstrap (BASE=FOLDER: is one).
set -eu
cd "$(dirname "$0")/../target/dist-files"
[ "$(id -u)" = 0 ] || { echo "$0: needs root, for chroot" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
base=${BASE:-$work/base}
if [ ! -d "$base" ]; then
    command -v debootstrap > /dev/null || ../../scripts/want.sh "a clean system" debootstrap
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    debootstrap --variant=minbase --include=python3-venv "$release" "$base" > "$work/log" 2>&1 \
        || { tail "$work/log" >&2; exit 1; }
fi

# Arguments: name, commands. Runs them in a copy of the clean system, with nothing of the
# workspace but its examples, without a compiler and without a network.
within() {
    cp -a "$base" "$work/$1"
    cp -r ./*.tar.gz ./*.deb ./*.whl ../../examples "$work/$1/tmp"
    unshare --net chroot "$work/$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
        /bin/sh -euc "cd /tmp; test -z \"\$(command -v cc)\"; $2"
    rm -rf "$work/$1"
    echo "$1: ok"
}
try='tusker --version
    tusker run examples/dumbbell.toml --quiet
    tusker compare --rate 20mbit --rtt 20ms --cc reno,cubic --duration 5s --quiet'
within tar "tar xf tusker-*.tar.gz -C /usr/local --strip-components 1
    $try; test -s /usr/local/share/man/man1/tusker.1"
within deb "dpkg -i tusker_*.deb > /dev/null; $try; dpkg -r tusker > /dev/null; test ! -e /usr/bin/tusker"
# The program and the module give the same summary of one run.
within wheel "python3 -m venv v; v/bin/pip install --quiet --no-index ./*.whl; PATH=/tmp/v/bin:\$PATH
    $try
    tusker run examples/dumbbell.toml --quiet --format json > run.json
    python - << 'END'
import json, tusker
ours = tusker.run('examples/dumbbell.toml').summary
theirs = json.load(open('run.json'))
assert ours.total.goodput_bps.mean == theirs['total']['goodput_bps']['mean'] > 9e7
print(tusker.compare(['reno'], rate='20mbit', rtt='20ms', duration='5s'))
END"
