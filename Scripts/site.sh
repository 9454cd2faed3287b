#!/usr/bin/env bash
# Builds the site of the documentation, .build-docs/site: one archive of all products, with the SwiftUI symbols, an index
# at its root, and no link that leads nowhere.
#
#   Scripts/site.sh                         see it with `python3 -m http.server -d .build-docs/site`
#   Scripts/site.sh --hosting-base-path P   for a site that is not at the root of its host
#   Scripts/site.sh --self-test             also see that the checker of links refuses planted ones
#
# Other arguments are those of Scripts/docs.sh, which makes the archives of the modules.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
site=.build-docs/site
repository=https://github.com/streamquery/StreamQuery
base=
self_test=false
arguments=()
while (($# > 0)); do
  case $1 in
    --self-test) self_test=true ;;
    --hosting-base-path)
      base=${2#/}
      base=${base%/}
      arguments+=("$1" "$2")
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
base=/${base:+$base/}

source Scripts/modules.sh
printf -v targets '%s, ' "${documented_modules[@]}"
if ! grep -qF "documentation_targets: [${targets%, }]" .spi.yml; then
  echo "site: the targets of .spi.yml are not ${targets%, }" >&2
  exit 1
fi

Scripts/docs.sh ${arguments[@]+"${arguments[@]}"}

find_docc
archives=()
for module in "${documented_modules[@]}"; do archives+=(".build-docs/$module.doccarchive"); done
"$docc" merge "${archives[@]}" --output-path "$site" --synthesized-landing-page-name StreamQuery \
  --synthesized-landing-page-kind "Swift package" --synthesized-landing-page-topics-style list
# What the compiler puts at the root shows that there is no page of this name: that is what a wrong address shows.
mv "$site/index.html" "$site/404.html"
cat >"$site/index.html" <<HTML
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>StreamQuery</title>
<meta http-equiv="refresh" content="0; url=${base}documentation/">
<link rel="icon" href="${base}favicon.ico">
<link rel="canonical" href="${base}documentation/">
<a href="${base}documentation/">The documentation of StreamQuery</a>
</html>
HTML

# The inspector's page, which plays stories where there is no client: inspector/?open=stories/retries-and-offline.json
mkdir "$site/inspector"
cp Integrations/Inspector/Sources/StreamQueryInspector/Page/* "$site/inspector"
cp -R Integrations/Inspector/Stories "$site/inspector/stories"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
swiftc -swift-version 6 -default-isolation MainActor -O -o "$work/site" Scripts/site.swift

texts=()
while IFS= read -r text; do texts+=("$text"); done < <(git ls-files '*.md' ':!*.docc/*')
if ! "$work/site" "$site" "$base" "$repository" "${texts[@]}" >"$work/links"; then
  head -40 "$work/links"
  echo "site: these links lead nowhere, of $(wc -l <"$work/links") in all" >&2
  exit 1
fi
sed 's/^/site: /' "$work/links"
echo "site: $site"

$self_test || exit 0

# plant FOLDER: a site of two pages, in which all is well.
plant() {
  local page
  mkdir -p "$1"/{data,index,images,documentation/a,documentation/b}
  cat >"$1/data/a.json" <<'JSON'
{"hierarchy": {"paths": [["doc://x/Left-out"]]}, "content": [
  {"type": "reference", "identifier": "doc://x/b"}, {"type": "reference", "identifier": "doc://x/b#Two"},
  {"type": "image", "identifier": "plot"}, {"type": "reference", "identifier": "file"}
], "references": {
  "doc://x/Left-out": {"type": "topic", "url": "/documentation/left-out"},
  "doc://x/b": {"type": "topic", "url": "/documentation/b"},
  "doc://x/b#Two": {"type": "section", "url": "/documentation/b#Two"},
  "plot": {"type": "image", "variants": [{"url": "/images/plot.svg"}]},
  "file": {"type": "link", "url": "https://example.org/repository/blob/main/README.md"}
}}
JSON
  echo '{"content": [{"type": "heading", "anchor": "Two"}]}' >"$1/data/b.json"
  echo '{"interfaceLanguages": {"swift": [{"path": "/documentation/b"}]}}' >"$1/index/index.json"
  touch "$1/images/plot.svg"
  for page in a b; do
    mkdir -p "$1/data/documentation"
    mv "$1/data/$page.json" "$1/data/documentation/$page.json"
    echo '<link href="/base/images/plot.svg">' >"$1/documentation/$page/index.html"
  done
  printf '# One two\n[a](#one-two) and [b](data/documentation/b.json)\n' >"$1/text.md"
}

# planted_passes CHANGE FILE: whether the site passes after a change of a file.
planted_passes() {
  rm -rf "$work/planted"
  plant "$work/planted"
  perl -pi -e "$1" "$work/planted/$2"
  "$work/site" "$work/planted" /base/ https://example.org/repository "$work/planted/text.md" >"$work/links"
}

if ! planted_passes '' text.md; then
  cat "$work/links"
  echo "site: self-test: a good site was refused" >&2
  exit 1
fi
while read -r file change; do
  if planted_passes "$change" "$file" || [[ ! -s $work/links ]]; then
    echo "site: self-test: a site was let through after $change in $file" >&2
    exit 1
  fi
done <<'CHANGES'
data/documentation/a.json s{"/documentation/b"}{"/documentation/c"}
data/documentation/a.json s{/b#Two"\}}{/b#Three"\}}
data/documentation/a.json s{plot.svg}{plots.svg}
data/documentation/a.json s{README}{GONE}
data/documentation/a.json s{https:}{docs:}
data/documentation/a.json s{"doc://x/b":.*}{}
data/documentation/a.json s{"section"}{"unresolvable"}
data/documentation/a.json s{"reference", "identifier": "doc://x/b"}{"reference", "identifier": "doc://x/Left-out"}
index/index.json s{/b"}{/c"}
documentation/b/index.html s{/base/}{/other/}
text.md s{#one}{#three}
text.md s{b.json}{c.json}
CHANGES
echo "site: self-test: a good site passes, and one with a link that leads nowhere does not"
