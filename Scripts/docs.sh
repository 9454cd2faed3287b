#!/usr/bin/env bash
# Builds the documentation of the modules, warnings as errors: a link to a symbol that is gone
# or a parameter that does not exist fails.
#
# The toolchain has all it needs, so the package does not depend on the DocC plugin. On Linux, where there is no SwiftUI,
# StreamQueryUI is documented beside the stand-in for it, so that its wrappers and views are there too.
#
#   Scripts/docs.sh                      into .build-docs/<Module>
#   Scripts/docs.sh --scratch-path DIR   use the modules built there (default .build-check)
#   Scripts/docs.sh --coverage           also print how much is documented
#   Scripts/docs.sh --hosting-base-path P   for a site that is not at the root of its host
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=.build-check
output=.build-docs
extra=()
while (($# > 0)); do
  case $1 in
    --scratch-path) scratch=$2; shift ;;
    --coverage) extra+=(--experimental-documentation-coverage) ;;
    --hosting-base-path) extra+=(--hosting-base-path "$2"); shift ;;
    *) echo "docs: unknown argument: $1" >&2; exit 2 ;;
  esac
  shift
done

source Scripts/modules.sh
find_docc
build_modules "$scratch"

target=$(swiftc -print-target-info | sed -n 's/.*"triple": "\([^"]*\)".*/\1/p' | head -n 1)
sdk=()
if [[ $(uname -s) == Darwin ]]; then
  sdk=(-sdk "$(xcrun --show-sdk-path)")
  # The deployment floor; without it members look newer than the target.
  target=$(sed 's/macosx.*/macosx15.0/' <<<"$target")
fi

rm -rf "$output"
mkdir -p "$output"
found=(-I "$products/Modules" -I "$products")
if [[ $(uname -s) != Darwin ]]; then
  # Interfaces only, without the code of functions. Not those of the step `views`, which have another name.
  views=$output/views
  mkdir -p "$views"
  for module in SwiftUI StreamQueryUI; do
    sources=()
    while IFS= read -r file; do sources+=("$file")
    done < <(find Sources/$module Tests/SwiftUIStandIn/Sources/$module -name '*.swift' \
      -not -path '*.docc/*' 2>/dev/null | LC_ALL=C sort)
    swiftc -emit-module -emit-module-path "$views/$module.swiftmodule" -module-name "$module" -parse-as-library \
      -experimental-skip-non-inlinable-function-bodies -suppress-warnings -I "$views" "${settings[@]}" "${sources[@]}"
  done
  found=(-I "$views" "${found[@]}")
fi
dependencies=()
for module in "${documented_modules[@]}"; do
  graphs="$output/graphs/$module"
  mkdir -p "$graphs"
  swift symbolgraph-extract -module-name "$module" "${found[@]}" \
    -target "$target" ${sdk[@]+"${sdk[@]}"} -module-cache-path "$output/module-cache" \
    -minimum-access-level public -emit-extension-block-symbols -skip-inherited-docs \
    -skip-synthesized-members -output-dir "$graphs"
  if [[ ! -s $graphs/$module.symbols.json ]]; then
    echo "docs: no symbols of $module" >&2
    exit 1
  fi
  "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --enable-experimental-external-link-support ${dependencies[@]+"${dependencies[@]}"} \
    --transform-for-static-hosting ${extra[@]+"${extra[@]}"} \
    --warnings-as-errors --output-path "$output/$module.doccarchive"
  # Later modules may link to these two.
  case $module in
    StreamQuery | StreamQueryPersistence) dependencies+=(--dependency "$output/$module.doccarchive") ;;
  esac
  echo "docs: $module: $output/$module.doccarchive"
done
