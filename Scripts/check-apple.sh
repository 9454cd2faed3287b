#!/usr/bin/env bash
# Type-checks the sources for macOS, iOS and watchOS at the deployment floors, and the sample app for macOS,
# on Linux, without Apple's SDKs.
#
# An API newer than the floor compiles on Linux, where availability means nothing, and fails only
# on a user's machine. This script finds it here: it turns the textual interfaces that every Swift
# toolchain carries for Linux into interfaces for a triple of Apple's (they keep their `@available`
# lines), and compiles the modules against them. Frameworks that only Apple has are stood in
# for by the small modules in Scripts/apple-stubs: these prove the shape of our code, not that the
# framework behaves so, and an API of theirs carries only the availability written there.
#
# Older watches have an `Int` of 32 bits. The interfaces are for 64, so files without a library other than
# the standard one (Scripts/narrow-files.txt) are compiled for a 32-bit processor as well, with the embedded
# library of the toolchain: a number that is too large is refused there. Scripts/purity.sh finds conversions
# of numbers that may be too large.
#
#   Scripts/check-apple.sh               check the package's sources
#   Scripts/check-apple.sh --self-test   also prove that the check can fail
#   Scripts/check-apple.sh --root DIR    check the Sources folder of another checkout
#   Scripts/check-apple.sh --clean       generate the interfaces anew
#
# The generated folder is .build-apple/; the first run takes two minutes, later ones half of one. On macOS it returns 77, as
# a step of check.sh that is skipped.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
scratch="$root/.build-apple"
self_test=false
while (($# > 0)); do
  case $1 in
    --self-test) self_test=true ;;
    --clean) rm -rf "$scratch" ;;
    --root) root=$(cd "$2" && pwd); shift ;;
    *) echo "check-apple: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

if [[ $(uname -s) == Darwin ]]; then
  echo "check-apple: on macOS the compiler checks availability by itself; nothing was checked here" >&2
  exit 77
fi

source "$here/modules.sh"
info=$(swiftc -print-target-info)
field() { sed -n "s/.*\"$1\": \"\\([^\"]*\\)\".*/\\1/p" <<<"$info" | head -n 1; }
resources=$(field runtimeResourcePath)
module_triple=$(field moduleTriple)
version=$(field compilerVersion)
# The processor stays what the interfaces were made for: Float80 is in them on x86_64 only.
case $(field arch) in
  x86_64) arch=x86_64 ;;
  *) arch=arm64 ;;
esac

# MARK: Platforms

features=(
  ExistentialAny InternalImportsByDefault MemberImportVisibility InferIsolatedConformances
  NonisolatedNonsendingByDefault ImmutableWeakCaptures
)
strict=(-warnings-as-errors -package-name streamquery)
for feature in "${features[@]}"; do strict+=(-enable-upcoming-feature "$feature"); done
top=$scratch

# select_platform PLATFORM: sets
#   floor        what is checked against: its line of Package.swift, so that the two cannot drift apart
#   target       the triple
#   library      the folder of a toolchain's resources in which its modules are
#   interface    the name of an interface in a folder of that
#   stub_order   its frameworks; a stub may import a stub before it in this order
# and scratch, sdk, cache, stubs, and the call of the compiler. On x86_64, all but macOS is a simulator.
select_platform() {
  local platform=$1 simulator=
  floor=$(sed -n "s/.*\\.$platform(\\.v\\([0-9_]*\\)).*/\\1/p" "$root/Package.swift" | tr _ . | head -n 1)
  : "${floor:?check-apple: no .$platform(.vN) in Package.swift}"
  [[ $floor == *.* ]] || floor="$floor.0"
  if [[ $arch == x86_64 ]]; then simulator=-simulator; fi
  case $platform in
    macOS)
      target=$arch-apple-macosx$floor library=macosx interface=$arch-apple-macos
      stub_order=(ObjectiveC Darwin Dispatch Foundation os Network AppKit Combine SwiftUI)
      ;;
    iOS)
      target=$arch-apple-ios$floor$simulator library=iphone${simulator:+simulator} interface=$arch-apple-ios$simulator
      stub_order=(ObjectiveC Darwin Dispatch Foundation os Network UIKit Combine SwiftUI)
      ;;
    watchOS)
      target=$arch-apple-watchos$floor$simulator library=watch${simulator:+simulator} interface=$arch-apple-watchos$simulator
      # A watch has a UIKit, too, without applications.
      stub_order=(ObjectiveC Darwin Dispatch Foundation os Network UIKit WatchKit Combine SwiftUI)
      ;;
  esac
  if [[ $library == iphone || $library == watch ]]; then library+=os; fi
  scratch=$top/$platform
  sdk=$scratch/sdk
  cache=$scratch/module-cache
  stubs=$scratch/stubs
  # -O, because there is no SwiftOnoneSupport for the target. Without Objective-C, because the standard
  # library on Linux is: it lacks types that the compiler otherwise looks for.
  compile=(
    swiftc -O -target "$target" -resource-dir "$sdk" -module-cache-path "$cache" -I "$stubs"
    -swift-version 6 -plugin-path "$resources/host/plugins" -Xfrontend -disable-objc-interop
  )
}

# MARK: The toolchain's modules for a platform

# A folder that looks like the resource folder of a toolchain for the platform.
generate_interfaces() {
  rm -rf "$scratch"
  mkdir -p "$sdk/$library" "$cache" "$stubs" "$scratch/out"
  cp -R "$resources/shims" "$sdk/shims"
  ln -s "$resources/clang" "$sdk/clang"
  # The Linux lock talks to the kernel. Its inlinable part only has to type-check.
  cat >"$sdk/shims/_SynchronizationShims.h" <<'HEADER'
#ifndef SWIFT_STDLIB_SYNCHRONIZATION_SHIMS_H
#define SWIFT_STDLIB_SYNCHRONIZATION_SHIMS_H
#include "SwiftStdbool.h"
#include "SwiftStdint.h"
static inline __swift_uint32_t _swift_stdlib_gettid(void) { return 0; }
static inline __swift_uint32_t _swift_stdlib_futex_lock(__swift_uint32_t *lock) { return 0; }
static inline __swift_uint32_t _swift_stdlib_futex_trylock(__swift_uint32_t *lock) { return 0; }
static inline __swift_uint32_t _swift_stdlib_futex_unlock(__swift_uint32_t *lock) { return 0; }
#endif
HEADER
  local module linux folder
  for module in Swift _Concurrency _StringProcessing Synchronization Observation; do
    linux="$resources/linux/$module.swiftmodule/$module_triple.swiftinterface"
    if [[ ! -f $linux ]]; then
      echo "check-apple: this toolchain has no textual interface of $module: $linux" >&2
      exit 1
    fi
    folder="$sdk/$library/$module.swiftmodule"
    mkdir -p "$folder"
    # `min` would inline for the oldest system and reject what the floor has; an `api` level asks
    # for availability on every declaration; back-deployed bodies need symbols that Linux lacks.
    sed -e "s/-target $module_triple/-target $target/" \
      -e 's/-target-min-inlining-version min/-target-min-inlining-version target/' \
      -e 's/-library-level api/-library-level other/' \
      -e '/@backDeployed(before/d' \
      -e '/^import Glibc$/d' \
      "$linux" >"$folder/$interface.swiftinterface"
  done
}

build_stubs() {
  local module
  for module in "${stub_order[@]}"; do
    [[ -f "$here/apple-stubs/$module.swift" ]] || continue
    "${compile[@]}" -parse-as-library -emit-module -module-name "$module" \
      -emit-module-path "$stubs/$module.swiftmodule" "$here/apple-stubs/$module.swift"
  done
}

# Without this, a stub that is not found makes every `#if canImport` around it false, and the
# check passes by checking nothing.
guard_stubs() {
  local module
  {
    for module in Swift _Concurrency Synchronization Observation "${stub_order[@]}"; do
      [[ -f "$here/apple-stubs/$module.swift" || -d "$sdk/$library/$module.swiftmodule" ]] || continue
      printf '#if !canImport(%s)\n#error("%s is not seen by the check")\n#endif\n' \
        "$module" "$module"
    done
    printf '#if !os(%s)\n#error("the check does not compile for %s")\n#endif\n' "$1" "$1"
  } >"$scratch/Guard.swift"
  "${compile[@]}" -typecheck "$scratch/Guard.swift"
}

# prepare PLATFORM: selects it, and makes what is missing.
prepare() {
  local key
  select_platform "$1"
  key="$version $target $(cat "$here/check-apple.sh" "$here"/apple-stubs/*.swift | cksum)"
  if [[ ! -f $scratch/key || $(<"$scratch/key") != "$key" ]]; then
    echo "check-apple: making interfaces for $1 of $version"
    generate_interfaces
    build_stubs
    printf '%s' "$key" >"$scratch/key"
  fi
  guard_stubs "$1"
}

# MARK: The check

# Compiles one module; later ones import it from the output folder.
check_module() {
  local module=$1 folder=$2
  local files=()
  while IFS= read -r file; do files+=("$file"); done < <(find "$folder" -name '*.swift' -not -path '*.docc/*' | sort)
  if ((${#files[@]} == 0)); then
    echo "check-apple: no Swift file in $folder" >&2
    return 1
  fi
  # Optimising finds nothing more, and takes two thirds of the time.
  "${compile[@]}" "${strict[@]}" -Xfrontend -disable-sil-perf-optzns -I "$scratch/out" -parse-as-library -wmo \
    -emit-module -module-name "$module" -emit-module-path "$scratch/out/$module.swiftmodule" "${files[@]}"
  echo "check-apple: $module: ${#files[@]} files are fine for ${scratch##*/} $floor"
}

# Compiles a planted program and expects the message.
expect_failure() {
  local name=$1 message=$2
  cat >"$scratch/$name.swift"
  if "${compile[@]}" "${strict[@]}" -I "$scratch/out" -parse-as-library -typecheck \
    "$scratch/$name.swift" >"$scratch/$name.log" 2>&1; then
    echo "check-apple: self-test: $name was let through" >&2
    return 1
  fi
  if ! grep -q "$message" "$scratch/$name.log"; then
    echo "check-apple: self-test: $name failed, but not with \"$message\":" >&2
    cat "$scratch/$name.log" >&2
    return 1
  fi
  echo "check-apple: self-test: $name is refused"
}

check_platform() {
  local module
  prepare "$1"
  for module in StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryUI StreamQueryTesting; do
    check_module "$module" "$root/Sources/$module"
  done
}

# Side by side; what follows is checked for macOS.
jobs=()
mkdir -p "$top"
for platform in iOS watchOS; do
  check_platform "$platform" >"$top/$platform.log" 2>&1 &
  jobs+=($!)
done
check_platform macOS
for platform in iOS watchOS; do
  status=0
  wait "${jobs[0]}" || status=$?
  cat "$top/$platform.log"
  if ((status != 0)); then exit "$status"; fi
  jobs=("${jobs[@]:1}")
done
# What only an app has: `@main`, scenes, and views of all kinds.
check_module SampleApp "$root/Playgrounds/Sources/SampleApp"

# MARK: Privacy

# require_reason CATEGORY PATTERN: what an app must give a reason for is in the privacy manifest of each module that
# uses it, and not in others.
require_reason() {
  local module used declared
  for module in "$root"/Sources/*; do
    used=false declared=false
    if grep -rqE --include='*.swift' "$2" "$module"; then used=true; fi
    if grep -qs "NSPrivacyAccessedAPICategory$1<" "$module/PrivacyInfo.xcprivacy"; then declared=true; fi
    if [[ $used != "$declared" ]]; then
      echo "check-apple: ${module##*/} uses $1: $used; its PrivacyInfo.xcprivacy says so: $declared" >&2
      return 1
    fi
  done
}
require_reason UserDefaults 'UserDefaults'
require_reason FileTimestamp '[^A-Za-z_.]f?l?stat(at)?\(|attributesOfItem|odificationDate|creationDate|getattrlist'
require_reason SystemBootTime 'systemUptime|mach_absolute_time'
require_reason DiskSpace 'statv?fs|volume[A-Za-z]*Capacity|system(Free)?Size'
require_reason ActiveKeyboards 'activeInputModes'
echo "check-apple: the privacy manifests say what is used"

# MARK: 32 bits

# compile_narrow MODULE FILE…: for a processor whose `Int` has 32 bits. Warnings are of what a system without an
# operating system does not have.
compile_narrow() {
  local module=$1
  shift
  swiftc -target armv7-none-none-eabi -enable-experimental-feature Embedded -swift-version 6 -wmo \
    -parse-as-library -suppress-warnings -package-name streamquery -module-name "$module" \
    -enable-upcoming-feature NonisolatedNonsendingByDefault -emit-sil -o /dev/null "$@"
}

for module in StreamQuery StreamQueryPersistence StreamQueryOperators StreamQueryUI StreamQueryTesting; do
  narrow=()
  while IFS= read -r file; do narrow+=("$root/Sources/$file")
  done < <(grep "^$module/" "$root/Scripts/narrow-files.txt")
  compile_narrow "$module" "${narrow[@]}"
  echo "check-apple: $module: ${#narrow[@]} files are fine where Int has 32 bits"
done

if $self_test; then
  expect_failure NewTask "is only available in macOS 26" <<'SWIFT'
func start() { Task.immediate {} }
SWIFT
  expect_failure NewArray "is only available in macOS 26" <<'SWIFT'
func three() -> Int {
  let values: InlineArray<3, Int> = [1, 2, 3]
  return values[0]
}
SWIFT
  expect_failure NewObservations "is only available in macOS 26" <<'SWIFT'
import Observation
func changes() { _ = Observations { 1 } }
SWIFT
  expect_failure WrongType "cannot convert" <<'SWIFT'
import StreamQuery
let schedule: Scheduling = 1
SWIFT
  cat >"$scratch/Floor.swift" <<'SWIFT'
import Foundation
import Observation
import Synchronization
@Observable final class Model { var count = 0 }
let state = Mutex(0)
func now() -> Date { state.withLock { $0 += 1 }; return Date() }
func sum(_ bytes: UnsafeRawPointer, _ count: Int) {}
func pass(_ bytes: [UInt8]) { sum(bytes, bytes.count) }
SWIFT
  if compile_narrow Planted - <<<'let century: Int = 3_155_760_000' >"$scratch/Narrow.log" 2>&1 ||
    ! grep -q "overflows when stored into 'Int'" "$scratch/Narrow.log"; then
    echo "check-apple: self-test: a number of 64 bits was let through" >&2
    exit 1
  fi
  echo "check-apple: self-test: a number of 64 bits is refused"
  "${compile[@]}" "${strict[@]}" -parse-as-library -wmo -emit-module -module-name Floor \
    -emit-module-path "$scratch/Floor.swiftmodule" "$scratch/Floor.swift"
  echo "check-apple: self-test: what the floor has is accepted"
fi
