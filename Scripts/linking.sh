#!/usr/bin/env bash
# Sees that a program which uses the test kit needs no library that only tests have, and runs without one; and that a
# program which keeps nothing beyond its process needs nothing of StreamQueryPersistence.
#
#   Scripts/linking.sh                      check the modules of .build-check
#   Scripts/linking.sh --scratch-path DIR   check the modules built there
#   Scripts/linking.sh --self-test          also see that the check can fail
#
# An app that links such a library does not start on a user's device.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/modules.sh
scratch=.build-check
self_test=false
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    --self-test) self_test=true ;;
    *) echo "linking: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

build_modules "$scratch"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

objects=()
find_objects "$products" StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryUI StreamQueryTesting

needed() {
  if [[ $(uname -s) == Darwin ]]; then otool -L "$1"; else readelf -d "$1" | grep NEEDED; fi
}

# check NAME: links and runs the program on standard input, and fails if it needs a library of tests.
check() {
  cat >"$work/$1.swift"
  swiftc "${settings[@]}" -module-name Program "$work/$1.swift" "${objects[@]}" -o "$work/$1"
  if needed "$work/$1" | grep -E 'Testing|XCTest'; then
    echo "linking: a program that uses StreamQueryTesting needs this library, which apps do not have" >&2
    return 1
  fi
  "$work/$1" >/dev/null
}

check Program <<'SWIFT'
import StreamQuery
import StreamQueryTesting
import StreamQueryUI
Simulation().run { print(QueryClient().fetchingCount()) }
SWIFT
echo "linking: a program that uses the test kit needs no library of tests"

all=("${objects[@]}")
objects=()
find_objects "$products" StreamQuery StreamQueryOperators StreamQueryUI

check Lean <<'SWIFT'
import StreamQuery
import StreamQueryOperators
import StreamQueryUI
print(QueryClient().fetchingCount())
SWIFT
echo "linking: a program that keeps nothing needs nothing of StreamQueryPersistence"

$self_test || exit 0
if check Keeping >"$work/log" 2>&1 <<'SWIFT'
import StreamQueryPersistence
print(MemoryStore())
SWIFT
then
  echo "linking: self-test: a program without StreamQueryPersistence has a store" >&2
  exit 1
fi
grep -q MemoryStore "$work/log" || { cat "$work/log" >&2; exit 1; }
objects=("${all[@]}")
if check Planted >"$work/log" 2>&1 <<'SWIFT'
import StreamQueryTesting
import Testing
print(Simulation().seed, Test.current as Any)
SWIFT
then
  echo "linking: self-test: a program that needs Testing was let through" >&2
  exit 1
fi
grep -q "needs this library" "$work/log" || { cat "$work/log" >&2; exit 1; }
echo "linking: self-test: programs that need Testing or StreamQueryPersistence are refused"
