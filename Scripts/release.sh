#!/usr/bin/env bash
# Makes a release: checks, writes the version into the texts, commits, tags, and makes of each folder of Integrations a
# tree of its own that depends on StreamQuery by URL and version. SwiftPM reaches no subfolder by URL.
#
#   Scripts/release.sh VERSION          on a clean main; nothing leaves this machine
#   Scripts/release.sh VERSION --push   push what that has made: main and the tag, and the tree of each integration
#   Scripts/release.sh --try [VERSION]  try both with HEAD: in a temporary clone, with bare repositories, and with a
#                                       package for each that adds it as its README says; see `try_release`
#   Scripts/release.sh --try --build    also build all of those packages, not only two of them
#   Scripts/release.sh --texts          write a version into a copy of the texts, and see that this can fail: no network
#
# In a text, the script removes each line that ends with `<!-- untagged -->`, and writes `from:` the version in place of a
# branch, of a path and of an older version. By hand, you write the changelog only.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
home=https://github.com/streamquery
main=StreamQuery
integrations=()
for manifest in Integrations/*/Package.swift; do integrations+=("$(basename "$(dirname "$manifest")")"); done
# A line that is not true any more when there is a release.
unreleased='branch: "main"|\.package\(.*path:|[Uu]ntil the first (release|tag)|no (release|tag) yet|<!-- untagged -->$'
unreleased+='|([Uu]ntil|[Bb]efore) [0-9.]+ is tagged'
# Those that say how StreamQuery is added, or that there is no release.
texts=()
while IFS= read -r text; do texts+=("$text"); done < <(
  git grep -lE "$unreleased|\.package\((name: \"[^\"]*\", )?url: \"[^\"]*/$main" -- '*.md' '*.tutorial'
)

fail() {
  echo "release: $1" >&2
  exit 1
}

# repository FOLDER: the name of an integration's repository, which is that of its package.
repository() { sed -n 's/^  name: "\(.*\)",$/\1/p' "Integrations/$1/Package.swift" | head -n 1; }

# MARK: The version in the texts

# write_changelog VERSION: gives what is to be released its heading.
write_changelog() {
  local date entries
  date=$(date -u +%Y-%m-%d)
  if grep -q "^## $1, to be tagged$" CHANGELOG.md; then
    perl -pi -e "s/^## \Q$1\E, to be tagged\$/## [$1] - $date/" CHANGELOG.md
  else
    perl -pi -e "s/^(## \[Unreleased\])\$/\$1\n\n## [$1] - $date/" CHANGELOG.md
  fi
  perl -pi -e "s{^\[Unreleased\]: .*}{[Unreleased]: $home/$main/compare/$1...main\n[$1]: $home/$main/releases/tag/$1}" \
    CHANGELOG.md
  entries=$(notes "$1" | grep -c '^- ' || true)
  if ((entries == 0)); then fail "CHANGELOG.md has no entry for $1"; fi
}

# notes VERSION: what the changelog says of a version.
notes() { awk -v heading="## [$1] - " 'index($0, heading) == 1 { on = 1; next } /^(## |\[)/ { on = 0 } on' CHANGELOG.md; }

write_texts() {
  local folder
  perl -0pi -e 's/\n\n.*<!-- untagged -->\n\n/\n\n/g; s/^.*<!-- untagged -->\n//mg' "${texts[@]}"
  for folder in "${integrations[@]}"; do
    perl -pi -e "s{\.package\((name: \"[^\"]*\", )?path: \"[^\"]*/Integrations/$folder\"\)}
      {.package(url: \"$home/$(repository "$folder")\", from: \"$1\")}" "Integrations/$folder/README.md"
  done
  perl -pi -e "s{\.package\(path: \"[^\"]*/$main\"\)}{.package(url: \"$home/$main\", from: \"$1\")};
    s{(\.package\(url: \"$home/[^\"]*\", )(branch|from): \"[^\"]*\"}{\$1from: \"$1\"}" "${texts[@]}"
  if grep -nE "$unreleased" "${texts[@]}" >&2; then
    fail "these lines say that there is no release; end them with <!-- untagged -->"
  fi
  grep -qF "\"$home/$main\", from: \"$1\"" README.md || fail "README.md does not say how to add $main $1"
  for folder in "${integrations[@]}"; do
    grep -qF "\"$home/$(repository "$folder")\", from: \"$1\"" "Integrations/$folder/README.md" ||
      fail "Integrations/$folder/README.md does not say how to add $(repository "$folder") $1"
  done
}

# check_texts: writes a version into a copy of the texts. Lines that would be wrong then must be found.
check_texts() {
  local line
  copy_texts
  (cd "$work/texts" && write_texts 1.2.3)
  for line in 'Write `.package(name: "StreamQuery", path: "…")`.' 'Choose `branch: "main"`.' \
    'Until the first tag, take a commit.' 'Until 0.1.0 is tagged, take a commit.' \
    'This comes before 0.1.0 is tagged.'; do
    copy_texts
    echo "$line" >>"$work/texts/README.md"
    refuse_texts "$line"
  done
  for line in README.md Integrations/*/README.md; do
    copy_texts
    perl -ni -e 'print unless /^\.package/' "$work/texts/$line"
    refuse_texts "$line does not say how to add"
  done
  echo "release: a version can be written into ${#texts[@]} texts, and what is wrong then is found"
}

copy_texts() {
  rm -rf "$work/texts"
  mkdir "$work/texts"
  tar -cf - "${texts[@]}" Integrations/*/Package.swift | tar -xf - -C "$work/texts"
}

# refuse_texts FINDING: the copy must be refused with this text.
refuse_texts() {
  if (cd "$work/texts" && write_texts 1.2.3) >"$work/log" 2>&1 || ! grep -qF -- "$1" "$work/log"; then
    cat "$work/log" >&2
    fail "expected: $1"
  fi
}

# MARK: The integrations

# split FOLDER VERSION: makes the tree of an integration of HEAD, on the branch integrations/FOLDER. It is one commit, on
# top of what its repository has: older commits of this repository would depend on a folder that is not there.
split() {
  local folder=$1 version=$2 name tree parent=() commit
  name=$(repository "$folder")
  tree=$work/trees/$folder
  mkdir -p "$tree" "$work/files"
  # With what the links of tests lead to.
  git archive HEAD | tar -xf - -C "$work/files"
  cp -RL "$work/files/Integrations/$folder/." "$tree"
  cp "$work/files/LICENSE" "$work/files/.gitignore" "$work/files/.swift-format" "$tree"
  own_manifest "$tree/Package.swift" "$version"
  own_links "$tree" "$folder" "$version"
  if git fetch -q "$home/$name" main 2>/dev/null; then parent=(-p "$(git rev-parse FETCH_HEAD)"); fi
  commit=$(
    GIT_DIR=$(git rev-parse --absolute-git-dir)
    GIT_INDEX_FILE=$work/trees/$folder.index
    export GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE=$tree
    cd "$tree"
    git add -A
    git commit-tree "$(git write-tree)" ${parent[@]+"${parent[@]}"} -m "Release $version" \
      -m "This is Integrations/$folder of $home/$main, where changes and issues belong."
  )
  git update-ref "refs/heads/integrations/$folder" "$commit"
  echo "release: integrations/$folder is $home/$name $version"
}

# own_manifest FILE VERSION: makes a manifest depend by URL. Before 1.0 a minor version may break source, so an
# integration takes patches only.
own_manifest() {
  local folder
  for folder in . "${integrations[@]}"; do
    local name=$main path='\.\./\.\.'
    if [[ $folder != . ]]; then
      name=$(repository "$folder")
      path="\.\./$folder"
    fi
    perl -pi -e "s{\.package\(name: \"$name\", path: \"$path\"\)}
      {.package(url: \"$home/$name\", .upToNextMinor(from: \"$2\"))}" "$1"
  done
  if grep -n 'path: "\.\.' "$1" >&2; then fail "these dependencies of ${1#"$work/"} have no URL"; fi
}

# own_links TREE FOLDER VERSION: makes links that leave the tree lead to StreamQuery, and commands run in the tree.
own_links() {
  local text up
  while IFS= read -r text; do
    up=$(dirname "${text#"$1/"}" | sed -e 's|^\.$||' -e 's|[^/][^/]*|..|g')
    perl -pi -e "s{\]\(\Q${up:+$up/}../../\E}{](${home}/$main/blob/$3/}g;
      s{\]\(\Q${up:+$up/}../\E}{](${home}/$main/blob/$3/Integrations/}g;
      s{ --package-path Integrations/$2\b}{}g; s{^cd Integrations/$2\n}{}" "$text"
  done < <(find "$1" -name '*.md' -o -name '*.swift')
}

# MARK: Release and push

# release VERSION CHECKED: what can be undone: nothing is pushed.
release() {
  local folder last
  grep -qE '^(0|[1-9][0-9]*)([.](0|[1-9][0-9]*)){2}$' <<<"$1" || fail "no version: $1"
  [[ $(git branch --show-current) == main ]] || fail "releases are made on main"
  [[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed"
  last=$(git tag --list '[0-9]*' | sort -V | tail -n 1)
  [[ $(printf '%s\n' "$last" "$1" | sort -V | tail -n 1) == "$1" && $last != "$1" ]] ||
    fail "$1 does not follow $last"
  if $2; then
    Scripts/check.sh --sanitizers
    try_release "$1" false
  fi
  write_changelog "$1"
  write_texts "$1"
  git commit -qa -m "Release $1" -m "Motivation: CHANGELOG.md has what is new since ${last:-the beginning}.
Modifications: the version and its date are in the changelog and in the READMEs.
Result: this commit has the tag $1."
  notes "$1" | git tag -a "$1" --cleanup=whitespace -F -
  for folder in "${integrations[@]}"; do split "$folder" "$1"; done
  echo "release: $1 is tagged here; Scripts/release.sh $1 --push publishes it"
  echo "release: to undo it: git tag -d $1 && git reset --hard HEAD~1"
}

# push VERSION: publishes a release that was made here. StreamQuery is first: the others depend on it.
push() {
  local folder
  git rev-parse -q --verify "refs/tags/$1" >/dev/null || fail "there is no tag $1; Scripts/release.sh $1 makes it"
  git push --atomic "$home/$main" "$1^{commit}:refs/heads/main" "refs/tags/$1"
  for folder in "${integrations[@]}"; do
    git push --atomic "$home/$(repository "$folder")" "refs/heads/integrations/$folder:refs/heads/main" \
      "refs/heads/integrations/$folder:refs/tags/$1"
  done
}

# MARK: Try

# try_release VERSION BUILD: makes and pushes a release in a temporary folder, where git is told that the addresses of
# github.com are folders beside it. So what is tried is what would be published, to the byte. Packages that add
# StreamQuery and each integration as the READMEs say are resolved, and before the release those that add an integration
# by its path. Those of StreamQuery and of Integrations/Server are built by URL, or all.
try_release() (
  local version=$1 folder name build
  git clone -q . "$work/$main"
  cd "$work/$main"
  git checkout -qB main
  if git rev-parse -q --verify "refs/tags/$version" >/dev/null; then git tag -d "$version" >/dev/null; fi
  for name in "$main" $(for folder in "${integrations[@]}"; do repository "$folder"; done); do
    git init -q --bare -b main "$work/remotes/$name"
  done
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_VALUE_0=$home/ GIT_CONFIG_KEY_0=url.file://$work/remotes/.insteadOf
  [[ $(git ls-remote --get-url "$home/$main") == "file://$work/remotes/$main" ]] || fail "git would push to $home"
  for folder in "${integrations[@]}"; do
    use "$(repository "$folder")" "Integrations/$folder/README.md" path false
  done
  Scripts/release.sh "$version" --unchecked
  Scripts/release.sh "$version" --push
  use "$main" README.md url true
  for folder in "${integrations[@]}"; do
    # The other ones need headers of the system.
    if [[ $folder == Server ]]; then build=true; else build=$2; fi
    use "$(repository "$folder")" "Integrations/$folder/README.md" url "$build"
  done
)

# use NAME README url|path BUILD: makes a package that depends on a repository as a README says, beside the clone; finds
# its products, and perhaps builds it.
use() {
  # Packages are known by the names of their folders: not that of the repository.
  local name=$1 consumer=$work/$1-by-$3 products flags
  mkdir -p "$consumer/Sources/Consumer"
  products=$(grep -oE '\.product\([^)]*\)' "$2" | sort -u)
  {
    echo '// swift-tools-version: 6.3'
    echo 'import PackageDescription'
    echo 'let package = Package(name: "Consumer", platforms: [.macOS(.v15), .iOS(.v18)], dependencies: ['
    grep -oE "\.package\(.*$3: \"[^)]*\)" "$2" | sort -u | sed 's/$/,/'
    echo '], targets: [.executableTarget(name: "Consumer", dependencies: ['
    sed 's/$/,/' <<<"$products"
    echo '])])'
  } >"$consumer/Package.swift"
  sed 's/.*name: "\([^"]*\)".*/import \1/' <<<"$products" >"$consumer/Sources/Consumer/Consumer.swift"
  # Not the caches of this machine: what was fetched from these addresses is not what is published there.
  flags=(--package-path "$consumer" --scratch-path "$work/build" --cache-path "$work/cache")
  flags+=(--security-path "$work/security")
  swift package "${flags[@]}" resolve
  swift package "${flags[@]}" describe >"$consumer/description"
  for name in "$main" "$name"; do
    if [[ $3 == path ]]; then continue; fi
    grep -A 6 "\"$home/$name\"" "$consumer/Package.resolved" | grep -q "\"version\" : \"$version\"" ||
      fail "$consumer/Package.resolved has no $home/$name $version"
  done
  if $4; then swift build "${flags[@]}" --disable-build-manifest-caching; fi
  echo "release: $name can be added by $3 as $2 says$($4 && echo ', and it builds' || true)"
}

# MARK: Arguments

version=
mode=release
checked=true
build=false
while (($# > 0)); do
  case $1 in
    --try) mode=try ;;
    --push) mode=push ;;
    --build) build=true ;;
    --texts) mode=texts ;;
    # What --try uses in its clone.
    --unchecked) checked=false ;;
    -*) fail "unknown argument: $1" ;;
    *) version=$1 ;;
  esac
  shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $mode in
  release) release "${version:?which version?}" "$checked" ;;
  push) push "${version:?which version?}" ;;
  texts) check_texts ;;
  try)
    if [[ -n $(git status --porcelain) ]]; then echo "release: what is not committed is not tried" >&2; fi
    # By default the version that the changelog announces.
    if [[ -z $version ]]; then version=$(sed -n 's/^## \([0-9.]*\), to be tagged$/\1/p' CHANGELOG.md); fi
    try_release "${version:?which version?}" "$build"
    ;;
esac
