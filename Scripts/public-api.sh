#!/usr/bin/env bash
# Compares the public declarations of the modules with Scripts/public-api.txt, so that a change of the surface is seen in
# the change that makes it.
#
#   Scripts/public-api.sh GRAPHS             check the symbol graphs that Scripts/docs.sh has written there
#   Scripts/public-api.sh GRAPHS --record    write what is public as what is expected; the limits stay
#   Scripts/public-api.sh GRAPHS --self-test also see that each check can fail
#
# The list is that of Linux: other platforms have more, and are not compared.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
graphs=$1
list=Scripts/public-api.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $(uname -s) != Linux ]]; then
  echo "public-api: the list is that of Linux; nothing was compared"
  exit 0
fi
source Scripts/modules.sh
swiftc -swift-version 6 -o "$work/public-api" Scripts/public-api.swift
"$work/public-api" "$graphs" "${documented_modules[@]}" >"$work/public"

# check LIST: fails if something else is public than the list says, or more than it allows.
check() {
  local limit what count
  if ! diff <(grep -v -e "^#" -e "^at most " "$1") "$work/public" >"$work/changes"; then
    head -40 "$work/changes"
    echo "public-api: something else is public than $1 says; --record writes it" >&2
    return 1
  fi
  while read -r _ _ limit what; do
    count=$(grep -c "^$what[ .].*  " "$work/public" || true)
    if ((count > limit)); then
      echo "public-api: $count public declarations of $what; $1 allows $limit" >&2
      return 1
    fi
    echo "public-api: $count of $what, at most $limit"
  done < <(grep '^at most ' "$1")
}

case ${2:-} in
  "" | --record | --self-test) ;;
  *) echo "public-api: unknown argument: $2" >&2; exit 2 ;;
esac
if [[ ${2:-} == --record ]]; then
  { grep -e '^#' -e '^at most ' "$list"; cat "$work/public"; } >"$work/list"
  cp "$work/list" "$list"
fi
check "$list"

[[ ${2:-} == --self-test ]] || exit 0
for change in 's/^at most [0-9]*/at most 1/' '/^StreamQuery Query  /d' '$s/$/ x/'; do
  sed "$change" "$list" >"$work/planted"
  if check "$work/planted" >"$work/log" 2>&1 || ! grep -qE 'is public than|public declarations of' "$work/log"; then
    echo "public-api: self-test: a list was let through that differs by $change" >&2
    exit 1
  fi
done
echo "public-api: self-test: a list that differs, and a lower limit, are refused"
