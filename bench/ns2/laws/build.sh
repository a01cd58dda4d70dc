#!/bin/sh
# Builds target/ns2/ghstcp.so, gHSTCP for the ns of Debian's package ns2 (2.35+dfsg), which
# exports the symbols that a module needs. ns-2's headers are only in its source package; the
# tar file that contains them is in the same folder of the archive as the binary package. `make
# setup-ns2-laws` runs this after installing ns2, g++, tcl-dev, libtclcl1-dev and libotcl1-dev.
set -eu
laws=$(dirname "$(realpath "$0")")
to=$laws/../../../target/ns2
mkdir -p "$to"
cd "$to"

if ! test -e include/sack1-agent.h; then
    deb=$(apt-get download --print-uris ns2 | cut -d"'" -f2)
    case $deb in
        */ns2_2.35%2bdfsg-*) ;;
        *) echo "build.sh: apt offers '$deb' for ns2, not a 2.35+dfsg: the headers would not fit it" >&2; exit 1 ;;
    esac
    /usr/lib/apt/apt-helper download-file "${deb%/*}/ns2_2.35%2bdfsg.orig.tar.xz" source.tar.xz \
        SHA256:a3a097194c87fedbf2a7d3c8520790dc8688874cad0373af2db0ed33e463d52e
    mkdir -p include
    tar -xJf source.tar.xz -C include --strip-components=1 --wildcards '*.h' ns-2.35/tcp/tcp-sack1.cc
    rm source.tar.xz
    # the class of SACK's agent is declared in its source file
    sed -n '/^class Sack1TcpAgent/,/^};/p' include/tcp/tcp-sack1.cc > include/part
    mv include/part include/sack1-agent.h
fi

set --
for part in . common tcp queue mobile tools apps; do
    set -- "$@" -isystem "include/$part"
done
# what ns-2's configure finds on Debian, as far as these headers ask; autoconf.h would say it
: > include/autoconf.h
g++ -std=c++17 -O2 -fPIC -shared -Wall -Wextra -Werror -DUSE_INTERP_RESULT -DCPP_NAMESPACE=std \
    -DHAVE_INT64 -DHAVE_STL -DHAVE_STRING_H -DHAVE_SNPRINTF -DHAVE_STRTOLL -DSIZEOF_LONG=8 \
    "$@" -isystem /usr/include/tclcl -isystem /usr/include/tcl \
    "$laws/ghstcp.cc" -o ghstcp.part
mv ghstcp.part ghstcp.so
