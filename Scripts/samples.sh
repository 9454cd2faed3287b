#!/usr/bin/env bash
# Compiles every sample of the documentation against the modules: README.md, the articles, and the
# comments in the sources. A sample that is followed by a block of text is also run, and must print it.
#
#   Scripts/samples.sh                      all samples
#   Scripts/samples.sh --scratch-path DIR   use the modules built there (default .build-check)
#   Scripts/samples.sh FILE…                the samples of these files
#
# A sample is a fenced block marked `swift`. It sees the app of Tests/StreamQueryAPITests/Support and
# Scripts/samples/Context.swift. What does not compile is no sample: leave its mark away. Nor is what
# takes more than 100 ms to type-check.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=.build-check
files=()
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    -*) echo "samples: unknown argument: $1" >&2; exit 2 ;;
    *) files+=("$1") ;;
  esac
  shift
done
if ((${#files[@]} == 0)); then
  while IFS= read -r file; do if [[ -f $file ]]; then files+=("$file"); fi
  done < <(git ls-files --cached --others --exclude-standard -- README.md 'Sources/*.md' 'Sources/*.swift')
fi

flags=()
# As in check.sh: other flags in the same folder would build everything again.
if [[ $scratch == .build-check ]]; then flags=(-Xswiftc -warnings-as-errors); fi
products=$(swift build --scratch-path "$scratch" --show-bin-path)
swift build --scratch-path "$scratch" ${flags[@]+"${flags[@]}"}

work=.build-samples
rm -rf "$work"
mkdir -p "$work"

# The features of Package.swift, so that a sample compiles under the same rules.
settings=(-swift-version 6 -I "$products/Modules" -I "$products" -I "$work")
while IFS= read -r feature; do settings+=(-enable-upcoming-feature "$feature")
done < <(sed -n 's/.*enableUpcomingFeature("\(.*\)").*/\1/p' Package.swift)
if [[ $(uname -s) == Darwin ]]; then
  platform=$(xcrun --show-sdk-platform-path)
  settings+=(
    -sdk "$(xcrun --show-sdk-path)" -target "$(uname -m)-apple-macosx15.0"
    -F "$platform/Developer/Library/Frameworks" -I "$platform/Developer/usr/lib"
  )
fi

# Objects of files that are gone may lie beside the others, so only those of present files count.
objects=()
for module in StreamQuery StreamQueryOperators StreamQueryTesting; do
  while IFS= read -r source; do
    objects+=("$products/$module.build/$(basename "$source").o")
  done < <(find "Sources/$module" -name '*.swift' | sort)
done
swiftc -emit-module -emit-module-path "$work/App.swiftmodule" -module-name App -enable-testing \
  -parse-as-library -o "$work/App.o" -c -wmo "${settings[@]}" \
  Tests/StreamQueryAPITests/Support/*.swift Scripts/samples/*.swift

# One file per sample, numbered by its line; what it must print beside it.
awk -v work="$work" -f Scripts/samples.awk "${files[@]}"
samples=("$work"/*.swift)
if [[ ! -f ${samples[0]} ]]; then
  echo "samples: none found" >&2
  exit 1
fi

check() {
  local sample=$1 name=${1%.swift}
  if [[ -f $name.expected ]]; then
    swiftc "${settings[@]}" -module-name Sample "$sample" "${objects[@]}" "$work/App.o" -o "$name.run" &&
      "$name.run" >"$name.printed" && diff "$name.expected" "$name.printed"
  else
    # Other warnings are no matter of a sample; what takes too long, even the second time, is.
    local timed=(swiftc -typecheck "${settings[@]}" -module-name Sample
      -Xfrontend -warn-long-expression-type-checking=100 "$sample")
    "${timed[@]}" >"$name.typed" 2>&1 || { cat "$name.typed"; return 1; }
    if grep -q 'took .* to type-check' "$name.typed"; then
      "${timed[@]}" 2>&1 | grep 'took .* to type-check' && return 1
    fi
    return 0
  fi
}

failed=0
# Two at a time: a sample takes half a second, nearly all of it in the compiler's start.
for ((index = 0; index < ${#samples[@]}; index += 2)); do
  jobs=()
  for sample in "${samples[@]:index:2}"; do
    check "$sample" >"$sample.log" 2>&1 &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do
    wait "$job" || failed=$((failed + 1))
  done
  cat "$work"/*.log
  rm -f "$work"/*.log
done

if ((failed > 0)); then
  echo "samples: $failed of ${#samples[@]} failed" >&2
  exit 1
fi
echo "samples: ${#samples[@]} compile, and print what they say"
