#!/usr/bin/env bash
# Tries the README's two commands where nothing is installed: a minimal Debian or Ubuntu in a folder, plus `make`.
#   tools/fresh_machine.sh debian bookworm                both commands
#   tools/fresh_machine.sh ubuntu noble "make demo"       others
# Needs root and debootstrap (apt-get install debootstrap). Packages come from where this machine's apt gets them; for
# the other distribution name a mirror: MIRROR=http://… . The commit tried is HEAD; nothing lies beside the copy.
# What this machine may lend it: CCACHE=FOLDER, a compiler cache, which saves the time of a build and changes nothing
# else; CERTIFICATES=FILE, where downloads pass a proxy that signs them; WHEELS=FOLDER, Python packages at hand.
set -euo pipefail
cd "$(dirname "$0")/.."

distribution=${1:?"debian or ubuntu"}
suite=${2:?"its code name: bookworm, noble"}
shift 2
[ "$#" -gt 0 ] || set -- "make demo" "make test"

say() { echo "fresh machine: $*" >&2; }
[ "$(id -u)" = 0 ] || { say "needs root (chroot)"; exit 1; }
command -v debootstrap > /dev/null || { say "needs debootstrap: apt-get install debootstrap"; exit 1; }

if [ -z "${MIRROR:-}" ]; then
  MIRROR=$(apt-get indextargets --format '$(SITE)' | grep "/$distribution\$" | sort -u | head -n 1) ||
    { say "this machine's apt knows no mirror of $distribution: set MIRROR"; exit 1; }
fi

machine=$(mktemp -d)
chmod 755 "$machine"  # apt works as a user of its own there
clean_up() {
  for mounted in root/.cache/ccache opt/wheels dev/pts dev proc; do
    if mountpoint -q "$machine/$mounted"; then umount "$machine/$mounted" || true; fi
  done
  # What is lent lies on this machine's disk: as long as anything is mounted, nothing may be removed.
  if grep -q " $machine/" /proc/mounts; then
    say "$machine stays: something is still mounted there"
  else
    rm -rf --one-file-system "$machine"
  fi
}
trap clean_up EXIT
inside() { chroot "$machine" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"; }

say "$distribution $suite"
components=main
[ "$distribution" = ubuntu ] && components=main,universe
scripts=/usr/share/debootstrap/scripts
script=$scripts/$suite
[ -e "$script" ] || script=$scripts/gutsy  # of every Ubuntu that debootstrap is too old to know
debootstrap --variant=minbase --components="$components" "$suite" "$machine" "$MIRROR" "$script" > "$machine.log" 2>&1 ||
  { tail -n 5 "$machine.log" >&2; exit 1; }
rm -f "$machine.log"
mount --bind /dev "$machine/dev"
mount --bind /dev/pts "$machine/dev/pts"  # apt writes its log through one
mount -t proc proc "$machine/proc"
cp /etc/resolv.conf "$machine/etc/resolv.conf"
apt-config dump | grep '^Acquire::https*::Proxy ' > "$machine/etc/apt/apt.conf.d/90proxy" || true
if [ -n "${CCACHE:-}" ]; then
  mkdir -p "$machine/root/.cache/ccache"
  mount --bind "$CCACHE" "$machine/root/.cache/ccache"
fi

lent=(PIP_DISABLE_PIP_VERSION_CHECK=1)
if [ -n "${CERTIFICATES:-}" ]; then
  cp "$CERTIFICATES" "$machine/etc/lent-certificates.crt"
  for name in PIP_CERT SSL_CERT_FILE NODE_EXTRA_CA_CERTS; do lent+=("$name=/etc/lent-certificates.crt"); done
fi
if [ -n "${WHEELS:-}" ]; then
  mkdir -p "$machine/opt/wheels"
  mount --bind "$WHEELS" "$machine/opt/wheels"
  mount -o remount,bind,ro "$machine/opt/wheels"
  lent+=(PIP_FIND_LINKS=/opt/wheels)
fi

inside apt-get update -qq
inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends make > /dev/null
mkdir -p "$machine/home/stranger/mmo"
git archive HEAD | tar -x -C "$machine/home/stranger/mmo"

for command in "$@"; do
  say "$command"
  began=$SECONDS
  code=0
  # Paths below the copy are relative for the compiler cache, so that what another copy compiled is found.
  inside env "${lent[@]}" CCACHE_BASEDIR=/home/stranger CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content \
    bash -c "cd /home/stranger/mmo && $command" || code=$?
  say "$command: exit $code after $((SECONDS - began)) s"
  [ "$code" = 0 ] || exit "$code"
done
