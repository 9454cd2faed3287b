# The counts of house.sh, behind swift-code.awk and limits.awk. Portable awk, as layers.awk.
#
# Variables: list, the path of house.txt; all, 1 to print what is counted.
# Input: every Swift file under Sources.

BEGIN {
  leasts = "^median "
  bounds = "^(lines|files|median) "
  # What protocols of the standard library ask for.
  required["hash"]; required["next"]; required["encode"]; required["enqueue"]
  readLimits()
}

FNR == 1 { endFile(); beginFile() }

{
  text = code($0)
  readComment()
  if (text !~ /[^ \t]/) next
  codeLines++
  readDeclarations()
  readBraces()
}

END {
  endFile()
  sumUp()
  compare()
}

# MARK: A file

function beginFile(    parts) {
  beginCode()
  split(FILENAME, parts, "/")
  target = parts[2]
  folder = parts[3]
  name = FILENAME
  sub(/.*\//, "", name)
  codeLines = 0
  types = 0       # the open braces; type[n] is the type that the nth is of, or ""
  pending = ""
  wasDoc = 0
  current = FILENAME
  open_ = 1
}

function endFile() {
  if (!open_) return
  count["lines " target] += codeLines
  count["files " target]++
  if (codeLines <= 20) found("small " target, current, codeLines " code lines")
  sizes[target, ++sizeCount[target]] = codeLines
  open_ = 0
}

# MARK: Comments

function readComment(    rest, isDoc) {
  rest = lineComment
  isDoc = rest ~ /^\/\/\//
  if (isDoc && !wasDoc && rest ~ /^\/\/\/ What /) found("what " target, here(), rest)
  wasDoc = isDoc
  if (rest == "") return
  sub(/^\/\/+[ \t]*/, "", rest)
  while (match(rest, /(^|[.:;] )(Who|Whoever|Those|One that) /)) {
    found("riddle " target, here(), rest)
    rest = substr(rest, RSTART + RLENGTH)
  }
}

# MARK: Declarations

function readDeclarations(    words, function_) {
  if (match(text, /(^|[ \t])func [A-Za-z_][A-Za-z0-9_]*/)) {
    function_ = substr(text, RSTART, RLENGTH)
    sub(/.*func /, "", function_)
    # A name that users know is no choice any more.
    if (text ~ /(^|[ \t])(public|override|open) /) given[target, function_]
    else if (kind[types] != "protocol") {
      named[target, function_]++
      places[target, function_] = places[target, function_] " " here()
      names[target "\t" function_]
    }
  }
  if (text ~ /(^|[ \t])nonisolated func / && text !~ /(^|[ \t])(public|package) /)
    found("nonisolated " target, here(), text)
  if (text ~ /(^|[ \t])extension CacheState([ \t{:]|$)/ && folder != "Cache")
    found("cache " target, here(), text)
  # What few caches have, asked for outside of its own folder.
  if (FILENAME !~ /\/Cache\/Extensions\// &&
    text ~ /isLimited|imports\.isEmpty|extensions\.(active|[A-Za-z]+(\?| [!=]= nil|\.isEmpty))/)
    found("flags " target, here(), text)
  if (text ~ /arrive\(.*isLast: true|isLast: round|let isLast = round|judgedRounds|round >= [0-9]/ && name != "QueryClient+Commit.swift")
    found("reasking " target, here(), text)
  readStored()
}

# A stored property of the type whose braces are open.
function readStored(    owner, list_, number) {
  owner = type[types]
  if (owner == "" || text !~ /^[ \t]*((private|fileprivate|package|public|internal)(\(set\))? |@usableFromInline |nonisolated )*(let|var) /) return
  if (text ~ /\{[ \t]*$/ || text ~ /\{.*\}[ \t]*$/ && text !~ /=/) return
  number = 1
  if (match(text, /(let|var) \([^)]*\)/)) number = split(substr(text, RSTART, RLENGTH), list_, ",")
  if (owner == "CacheState") {
    count["state " target] += number
    if (all) print here() ": [state " target "] " text
  }
  if (text ~ /(^|[ \t])var / && text ~ /(: Bool([ \t]*=.*)?|= \(?(true|false)(, (true|false))*\)?)[ \t]*$/) {
    booleans[FILENAME "\t" owner] += number
    booleanTarget[FILENAME "\t" owner] = target
  }
}

# Follows the braces: a type's own are told from those of functions.
function readBraces(    rest, token) {
  rest = text
  while (match(rest, /(^|[^A-Za-z0-9_.])(struct|class|actor|enum|extension|protocol) [A-Z][A-Za-z0-9_]*|[{}]/)) {
    token = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    if (token == "{") { type[++types] = pending; kind[types] = pendingKind; pending = pendingKind = "" }
    else if (token == "}") { if (types > 0) types-- }
    else { pendingKind = token ~ /protocol / ? "protocol" : "type"; sub(/.* /, "", token); pending = token }
  }
}

# MARK: The end

function sumUp(    key, parts, excess, i, n, sorted) {
  for (key in names) {
    split(key, parts, "\t")
    excess = named[parts[1], parts[2]] - 5
    if (excess <= 0 || (parts[1], parts[2]) in given || parts[2] in required) continue
    count["same " parts[1]] += excess
    if (all) print "[same " parts[1] "] " parts[2] ":" places[parts[1], parts[2]]
  }
  for (key in booleans) {
    if (booleans[key] <= 2) continue
    count["booleans " booleanTarget[key]] += booleans[key] - 2
    if (all) print "[booleans " booleanTarget[key] "] " key ": " booleans[key]
  }
  for (n in sizeCount) {
    for (i = 1; i <= sizeCount[n]; i++) sorted[i] = sizes[n, i]
    sort(sorted, sizeCount[n])
    count["median " n] = sorted[int((sizeCount[n] + 1) / 2)]
  }
}

function sort(list_, n,    i, j, value) {
  for (i = 2; i <= n; i++) {
    value = list_[i]
    for (j = i - 1; j > 0 && list_[j] > value; j--) list_[j + 1] = list_[j]
    list_[j + 1] = value
  }
}
