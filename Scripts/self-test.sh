#!/usr/bin/env bash
# Sees that checks can fail: plants defects in a copy of the project, one at a time, and expects the step that is
# there for them to fail with what it says of such a defect.
#
#   Scripts/self-test.sh             all defects
#   Scripts/self-test.sh NAME…       these; the names are those of the functions `plant_…`
#
# It builds for a quarter of an hour the first time, and keeps the copy with its builds in .build-planted. Other steps
# test themselves whenever they run.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/copying.sh
copy=$PWD/.build-planted/project

# replace FILE TEXT WITH: replaces the one place of the file that has the text.
replace() {
  export FROM=$2 TO=$3
  if [[ $(perl -0ne 'print scalar(() = /\Q$ENV{FROM}\E/g)' "$copy/$1") != 1 ]]; then
    echo "self-test: $1 has no place, or several, with: $2" >&2
    exit 1
  fi
  perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/' "$copy/$1"
}

# What a power cut has left of a batch, whose other bytes were not written, is read as a whole one.
plant_torn_write() {
  replace Sources/StreamQueryPersistence/Stores/LogRecovery.swift \
    "      guard length <= bytes.count - end - LogFormat.frameHeaderSize else { return }
      let frame = end..<(end + LogFormat.frameHeaderSize + length)" \
    "      let frame = end..<min(bytes.count, end + LogFormat.frameHeaderSize + length)"
  replace Sources/StreamQueryPersistence/Stores/LogFormat.swift \
    "    guard
      CRC64.of(body, after: seed(at: offset + start))
        == bytes.number(at: start + 8, as: UInt64.self)
    else { return nil }
" ""
  says="PowerCutTests.*failed"
  command="STREAMQUERY_TESTS=StreamQueryPersistenceTests swift test --filter PowerCutTests"
}

# A store acknowledges a batch that it has not forced to the disk.
plant_unforced_write() {
  replace Sources/StreamQueryPersistence/Stores/FileStore+Files.swift \
    "      try file.sync()
      try checkPlace" "      try checkPlace"
  says="PowerCutTests.*failed"
  command="STREAMQUERY_TESTS=StreamQueryPersistenceTests swift test --filter PowerCutTests"
}

# Callers of a connection count beside each other without a lock.
plant_race() {
  replace Integrations/Redis/Sources/StreamQueryRedis/Connection/RedisMailbox.swift \
    "func nextID() -> CommandID { state.withLock { \$0.queue.nextID() } }" \
    "nonisolated(unsafe) private var count = 0
  func nextID() -> CommandID {
    count += 1
    return state.withLock { \$0.queue.nextID() }
  }"
  says="WARNING: ThreadSanitizer: data race"
  command="Scripts/check.sh --only redisthread"
}

# A task waits for a continuation that nobody has.
plant_lost_continuation() {
  replace Tests/StreamQueryTests/Support/Seeds.swift "import Foundation" "import Foundation
import Testing

@Suite struct PlantedTests {
  @Test func loses() async {
    for _ in 0..<100 {
      Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
      await Task.yield()
    }
  }
}"
  says="LeakSanitizer: detected memory leaks"
  command="STREAMQUERY_TESTS=StreamQueryTests Scripts/leaks.sh --scratch-path .build"
}

# A warning, in a checkout that one enters by a link.
plant_warning() {
  replace Sources/StreamQuery/Machines/RunQueue.swift \
    "struct RunQueue: Random" "private func planted() { let unused = 0 }
struct RunQueue: Random"
  says="warning: .*unused"
  command="ln -sfn project ../link && cd ../link && source Scripts/steps.sh && begin_steps &&
    swift build --target StreamQuery >.build-steps/log 2>&1 && refuse_warnings .build-steps/log"
}

names=("$@")
if ((${#names[@]} == 0)); then names=(torn_write unforced_write lost_continuation race warning); fi
for name in "${names[@]}"; do
  if ! declare -f "plant_$name" >/dev/null; then
    echo "self-test: no such defect: $name" >&2
    exit 2
  fi
  copy_project "$copy"
  "plant_$name"
  echo "==> $name"
  log=.build-planted/$name.log
  if (cd "$copy" && bash -c "$command") >"$log" 2>&1; then
    echo "self-test: with $name in it, this passes: $command" >&2
    exit 1
  fi
  if ! grep -qE "$says" "$log"; then
    tail -n 40 "$log" >&2
    echo "self-test: with $name in it, this does not say \"$says\": $command" >&2
    exit 1
  fi
  echo "<== $name: found"
done
