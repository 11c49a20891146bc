#!/bin/sh
# pahole-btfdedup: accepts pahole's command line as far as it makes BTF of DWARF, so that
# `make PAHOLE=pahole-btfdedup` builds a kernel, or its modules, with btfdedup. btfdedup is the one
# beside this file, unless everybody may put one there, or the one where this was installed.
set -euf

# The build starts this once for each module: nothing is run that the shell can do itself.
here=$0
if [ -h "$0" ]; then here=$(readlink -f "$0"); fi
case $here in
  */*) here=${here%/*} ;;
  *) here=. ;;
esac
installed='@CMAKE_INSTALL_FULL_BINDIR@'
version=v1.32
supported=encode_force,var,float,decl_tag,type_tag,enum64,optimized_func,consistent_func,decl_tag_kfuncs,reproducible_build,distilled_base,global_var,attributes,force_cu_merging,layout

fail() {
  printf 'pahole-btfdedup: error: %s\n' "$1" >&2
  exit 1
}

# add_features LIST IS_STRICT: as pahole does, passes on what is supported
add_features() {
  list=$1 named=yes
  case $list in
    +*) list=default,${list#+} ;;
  esac
  IFS=,
  for feature in $list; do
    case ,$supported,default, in
      *",$feature,"*) features=${features:+$features,}$feature ;;
      *)
        if [ "$2" = yes ]; then fail "has no feature '$feature', only $supported"; fi
        printf 'pahole-btfdedup: no feature %s: left out\n' "$feature" >&2
        ;;
    esac
  done
  unset IFS
}

encode=no base='' detached='' file='' jobs='' languages='' named=no verbose=no
features='' without='' floats=',-float' # what options without --btf_features mean
while [ $# -gt 0 ]; do
  option=$1
  shift
  value=${option#*=}
  case $option in # these take the next argument
    --btf_base | --btf_encode_detached | --btf_features | --btf_features_strict | --lang_exclude)
      [ $# -gt 0 ] || fail "$option needs a value"
      value=$1
      shift
      ;;
  esac
  case $option in
    --version) echo $version && exit ;;
    --supported_btf_features) echo $supported && exit ;;
    -J | --btf_encode) encode=yes ;;
    -j | --jobs) ;;
    -j*) jobs=${option#-j} ;;
    --jobs=*) jobs=$value ;;
    --btf_base | --btf_base=*) base=$value ;;
    --btf_encode_detached | --btf_encode_detached=*) encode=yes detached=$value ;;
    --btf_features | --btf_features=*) add_features "$value" no ;;
    --btf_features_strict | --btf_features_strict=*) add_features "$value" yes ;;
    --lang_exclude | --lang_exclude=*) languages=$value ;;
    --btf_gen_floats | --btf_gen_all) floats='' ;;
    --skip_encoding_btf_vars) without=$without,-var ;;
    --skip_encoding_btf_decl_tag) without=$without,-decl_tag ;;
    --skip_encoding_btf_type_tag) without=$without,-type_tag ;;
    --skip_encoding_btf_enum64) without=$without,-enum64 ;;
    # Functions are always those that may be traced, and the output is always the same.
    --btf_gen_optimized | --skip_encoding_btf_inconsistent_proto | --btf_encode_force | --reproducible_build) ;;
    -V | --verbose) verbose=yes ;;
    -*) fail "does not have the option $option: it makes BTF of DWARF, and pahole does the rest" ;;
    *)
      [ -z "$file" ] || fail "takes one file, not $file and $option"
      file=$option
      ;;
  esac
done
[ $encode = yes ] || fail 'only makes BTF (-J); pahole does the rest'
[ "$file" ] || fail 'which file?'
if [ $named = no ]; then features=default$floats,-decl_tag_kfuncs; fi
features=$features$without

btfdedup=$here/btfdedup
if [ "$here" != "$installed" ]; then
  if [ ! -x "$btfdedup" ] || [ -n "$(find "$here/" -prune -perm -0002)" ]; then btfdedup=$installed/btfdedup; fi
fi
[ -x "$btfdedup" ] || fail "no btfdedup in $here, nor where this was installed"

case $file in # not an option of btfdedup
  [-@]*) file=./$file ;;
esac
set -- --dwarf --btf-features "$features"
if [ "$base" ]; then set -- "$@" --base "$base"; fi
if [ "$jobs" ]; then set -- "$@" --threads "$jobs"; fi
if [ "$languages" ]; then set -- "$@" --lang-exclude "$languages"; fi
if [ $verbose = yes ]; then set -- "$@" --verbose; fi
if [ "$detached" ]; then exec "$btfdedup" "$@" -o "$detached" "$file"; fi
exec "$btfdedup" "$@" --no-btf-ids --update "$file"
