# A clean root: a minimal Debian in a directory, with the machine's package sources. For scripts to
# source.

# make_root DIRECTORY SUITE TARBALL: makes a root of Debian's SUITE, from the tarball if it exists;
# otherwise makes the tarball. On failure prints the reason. Experimental has no system of its own: its
# root is sid's, and apt takes from experimental what sid does not have.
make_root() {
  local root=$1 suite=$2 tarball=$3 sources beside=''
  ((EUID == 0)) || { echo 'not root' && return 1; }
  if [[ $suite == experimental ]]; then
    beside=$(debian_sources experimental)
    [[ $beside ]] || { echo "apt has no sources of Debian's experimental here" && return 1; }
    suite=sid
  fi
  remove_root "$root" && mkdir -p "$root" "$(dirname "$tarball")" ||
    { echo "cannot make $root anew" && return 1; }
  sources=$(debian_sources "$suite")
  [[ $sources ]] || { echo "apt has no sources of Debian's $suite here" && return 1; }
  if ! tar -C "$root" -xf "$tarball" 2>/dev/null; then
    remove_root "$root"
    bootstrap "$root" "$suite" "${sources%% *}" || return
    tar -C "$root" --exclude='./var/cache/apt/archives/*.deb' -cf "$tarball.new" . &&
      mv "$tarball.new" "$tarball" || { echo "cannot write $tarball" && return 1; }
  fi
  copy_apt_settings "$root" "$sources${beside:+$'\n'$beside}"
  in_root "$root" sh -c 'apt-get -q update && rm -rf /var/lib/apt/lists/*' >"$root/tmp/log" 2>&1 ||
    { echo "no packages in the root: $(tail -n 1 "$root/tmp/log")" && return 1; }
}

# choose_root NAME ARGUMENT...: reads the options --suite and --directory of a script. Sets suite, sid by
# default; root, build/NAME.SUITE by default; and rest, the other arguments.
choose_root() {
  suite=sid root='' rest=("${@:2}")
  while [[ ${rest[0]:-} == -* ]]; do
    case ${rest[0]} in
      --suite) suite=${rest[1]} ;;
      --directory) root=${rest[1]} ;;
      *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
    rest=("${rest[@]:2}")
  done
  root=$(realpath -m "${root:-build/$1.$suite}")
}

# need_root FILE COMMAND...: unless $root has FILE, makes it, of $suite, with the command, which adds FILE.
# On failure prints the reason and ends the script.
need_root() {
  local why
  [[ -e $root/$1 ]] || why=$(make_root "$root" "$suite" "$root.tar" && "${@:2}") ||
    { echo "no root: $why" && exit 1; }
}

# install_packages DIRECTORY ARGUMENT...: installs packages; options of apt-get may be among them. On failure
# prints the reason.
install_packages() {
  in_root "$1" sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y --no-install-recommends install "$@"' sh "${@:2}" >"$1/tmp/log" 2>&1 ||
    { tail -n 3 "$1/tmp/log" && return 1; }
}

# debian_sources SUITE: prints URI, release and component of each of the machine's Debian sources,
# with SUITE in place of its own release; that of SUITE itself first. Unstable has no updates of its
# own: releases that a mirror lacks are left out.
debian_sources() {
  local own uri release component file
  own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  list() {
    # shellcheck disable=SC2016 # for apt
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
      'Created-By: Packages' 'Origin: Debian' | sed -n "s/ $own/ $1/p" | LC_ALL=C sort -u -k 2 | grep .
  }
  list "$1" >/dev/null || apt-get -q update >&2
  file=$(mktemp)
  list "$1" | while read -r uri release component; do
    if /usr/lib/apt/apt-helper download-file "${uri%/}/dists/$release/InRelease" "$file" &>/dev/null; then
      echo "$uri $release $component"
    fi
  done
  rm -f "$file"
}

# bootstrap DIRECTORY SUITE MIRROR: runs debootstrap in its own mount namespace, so that its mounts
# disappear with it.
bootstrap() {
  local log=$1.log http_proxy=${http_proxy:-} https_proxy=${https_proxy:-}
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  export http_proxy https_proxy
  { command -v debootstrap || "$(dirname "${BASH_SOURCE[0]}")/../cmake/packages.sh" root; } >"$log" 2>&1 &&
    unshare --mount debootstrap --variant=minbase "$2" "$1" "$3" >>"$log" 2>&1 ||
    { echo "no debootstrap: $(tail -n 1 "$log")" && return 1; }
}

# copy_apt_settings DIRECTORY SOURCES: copies the machine's access to the mirrors
copy_apt_settings() {
  local root=$1 path
  sed 's|^|deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] |' <<<"$2" >"$root/etc/apt/sources.list"
  apt-config dump | grep -iE '^Acquire::(https?::|check-|force)' >"$root/etc/apt/apt.conf.d/machine" || true
  for path in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /usr/local/share/ca-certificates; do
    [[ -e $path ]] || continue
    mkdir -p "$root${path%/*}"
    cp -rLT --remove-destination "$path" "$root$path"
  done
}

# in_root DIRECTORY COMMAND...: runs a command with the kernel's file systems and devices of its own,
# mounted in its own mount namespace: they disappear with the command, however it ends. A program that
# replaces /dev/null does so there alone. The root is a mount as well, so that the command may make such
# a namespace.
in_root() {
  local root=$1
  shift
  # shellcheck disable=SC2016 # for the inner shell
  unshare --mount bash -euc '
    root=$1
    shift
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=755 dev "$root/dev"
    for node in null zero full random urandom tty kvm; do
      if [[ -c /dev/$node ]]; then cp -a /dev/$node "$root/dev"; fi
    done
    mkdir -m 1777 "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 pts "$root/dev/pts"
    ln -s pts/ptmx /proc/self/fd "$root/dev"
    for i in 0:in 1:out 2:err; do ln -s "/proc/self/fd/${i%:*}" "$root/dev/std${i#*:}"; done
    exec chroot "$root" "$@"' in_root "$root" \
    env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${CI:+"CI=$CI"} ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} "$@"
}

# remove_root DIRECTORY: does not enter mounted file systems.
remove_root() {
  if grep -F " $(realpath -m "$1")/" /proc/self/mounts >&2; then return 1; fi
  rm -rf --one-file-system "$1" "$1.log"
}
