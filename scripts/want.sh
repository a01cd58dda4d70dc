#!/bin/sh
# Installs Debian packages, saying first which and what for:
#   scripts/want.sh PURPOSE PACKAGE ...
set -eu
purpose=$1
shift
echo "$purpose: installing $*" >&2
as=
[ "$(id -u)" = 0 ] || as=sudo
if ! command -v apt-get >/dev/null || { [ -n "$as" ] && ! command -v sudo >/dev/null; }; then
    echo "this needs apt-get and root: install these packages or their like yourself, then try again" >&2
    exit 1
fi
$as apt-get update
DEBIAN_FRONTEND=noninteractive $as apt-get install -y --no-install-recommends "$@"
