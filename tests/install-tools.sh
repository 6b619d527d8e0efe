#!/bin/sh
# Install the programs from Debian that some tests drive: install-tools.sh [program ...]
# A test whose program is missing is skipped. With REQUIRE_TOOLS set, a missing program is a failure here.
set -u
cd "$(dirname "$0")/.." || exit 1
tools=.cache/tools  # of programs that are not installed; `make` has it on its PATH
mkdir -p "$tools"

install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"; }

# Take promtool out of its package: installing the package would start a Prometheus.
unpack_promtool() {
  (cd "$tools" && apt-get download -qq prometheus && dpkg-deb --fsys-tarfile prometheus_*.deb |
    tar x --strip-components 3 ./usr/bin/promtool && rm prometheus_*.deb)
}

missing=0
for program in ${*:-chromium nginx wrk promtool dovecot}; do
  PATH="$PATH:$PWD/$tools:/usr/sbin" command -v "$program" >/dev/null && continue
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq; then
    case $program in
      nginx) install nginx-light ;;
      dovecot) install dovecot-imapd ;;
      promtool) unpack_promtool ;;
      *) install "$program" ;;
    esac >"$tools/$program.log" 2>&1 && continue
    cat "$tools/$program.log"
  fi
  echo "$program is not installed (a package of Debian): what needs it will not be tried"
  missing=1
done
test -z "${REQUIRE_TOOLS:-}" || exit "$missing"
