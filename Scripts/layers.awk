# The rules of layers.sh, behind swift-code.awk. Portable awk: no gensub, no intervals, no word
# boundaries.
#
# Variables: list, the path of layers.txt; all, 1 to print every finding and fail for none.
# Input: every Swift file under Sources.
#
# One pass notes what each file declares and what it uses; the end compares. A name counts for what
# all of its declarations agree on: one that is also declared in the user's folder or below it may
# mean that one, and is no finding.

BEGIN {
  readList()
  split("struct class enum actor protocol typealias", words, " ")
  for (i in words) isTypeWord[words[i]] = 1
}

FNR == 1 { beginFile() }

{
  text = code($0)
  if (text ~ /^[ \t]*#(if|elseif|else|endif)/) { conditional(); next }
  if (text ~ /^[ \t]*((public|package|internal|private|fileprivate|@[a-zA-Z_]+) )*import /) next
  gsub(/`/, "", text)
  if (inCase && !parens) inCase = caseGoesOn
  if (text ~ /[^ \t]/) codeLines++
  while (match(text, /[A-Za-z_][A-Za-z0-9_]*|->|[][{}()<>.,:;@=&]/)) {
    next_ = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    token()
    beforeLast = last
    last = word
    word = next_
    wordLine = FNR
    wordCode = codeLines
  }
}

END {
  endFile()
  for (i = 1; i <= useCount; i++) checkUse(i)
  for (i = 1; i <= typeCount; i++) checkPlace(i)
  finish()
}

# MARK: The list

function readList(    line, number, fields, reason, count, i) {
  while ((getline line < list) > 0) {
    number++
    reason = line
    if (!sub(/^[^#]*#[ \t]*/, "", reason)) reason = ""
    sub(/#.*/, "", line)
    gsub(/^[ \t]+|[ \t\r]+$/, "", line)
    if (line == "") continue
    count = split(line, fields, /[ \t]+/)
    if (fields[1] == "target" && count == 8 && fields[3] == "upward" && fields[5] == "misplaced" && fields[7] == "families") {
      current = fields[2]
      targetLine[current] = number
      targetNumber[current] = ++targets
      allowed[current, "upward"] = fields[4]
      allowed[current, "misplaced"] = fields[6]
      allowed[current, "families"] = fields[8]
      folders = 0
    } else if (fields[1] == "except" && count == 3) {
      exceptionLine[fields[2] SUBSEP fields[3]] = number
      if (reason == "") fail(number, "an exception needs its reason: `except PATH NAME  # reason`")
      if (++exceptions > 5) fail(number, "no more than five exceptions")
    } else if (fields[1] == "family" && count >= 3) {
      if (reason == "") fail(number, "a family needs what it is: `family PATH NAME…  # what it is`")
      for (i = 3; i <= count; i++) {
        if ((fields[2], fields[i]) in family) fail(number, fields[i] " is listed twice")
        family[fields[2], fields[i]] = number
      }
    } else if (count == 1 && current != "") {
      if ((current, line) in rank) fail(number, line " is listed twice")
      rank[current, line] = ++folders
      folderLine[current, line] = number
    } else fail(number, "not understood: " line)
  }
  close(list)
}

function fail(number, message) {
  failures++
  print list ":" number ": [list] " message > "/dev/stderr"
}

# MARK: Declarations and uses

function beginFile(    parts, count) {
  endFile()
  beginCode()
  file = FILENAME
  sub(/^\.\//, "", file)
  count = split(file, parts, "/")
  target = parts[2]
  folder = count > 3 ? parts[3] : "."
  stem = parts[count]
  sub(/\.swift$/, "", stem)
  sub(/\+.*/, "", stem)
  targetOf[file] = target
  folderOf[file] = folder
  stemOf[file] = stem
  stems[target, stem] = 1
  if (!(target in targetLine)) {
    if (!(target in unknown)) fail(0, "the target " target " is missing")
    unknown[target] = 1
  } else if (!((target, folder) in rank)) {
    if (!((target, folder) in unknown)) fail(targetLine[target], "the folder " folder " of " target " is missing")
    unknown[target, folder] = 1
  }
  levelOf[file] = rank[target, folder] + 0
  inhabited[target] = inhabited[target, folder] = 1
  scopes = 0
  scope[0] = ""
  scopeKind[0] = "file"
  scopePrivate[0] = 0
  word = last = beforeLast = opening = ""
  parens = inCase = pattern = generics = hidden = conditions = openType = 0
}

function endFile() {
  if (file == "") return
  next_ = ""
  token()
  word = ""
}

# Both sides of a condition may open the same brace.
function conditional() {
  if (text ~ /#if/) { conditions++; savedScopes[conditions] = scopes; savedParens[conditions] = parens }
  else if (text ~ /#else/) { scopes = savedScopes[conditions]; parens = savedParens[conditions] }
  else conditions--
}

# Looks at `word`, which stands after `last` and before `next_`.
function token() {
  if (word == "") return
  if (word ~ /^[A-Za-z_]/) { name(); return }
  if (word == "(" || word == "[") {
    parens++
    if (last == "let" || last == "var" || last == "for") pattern = parens
  }
  else if ((word == ")" || word == "]") && parens) parens--
  else if (word == "{") open()
  else if (word == "}") {
    if (scopes) parens = outerParens[scopes--]
    if (!scopes && openType) { typeSize[openType] = wordCode - typeStart + 1; openType = 0 }
    if (!scopes && openExtension) { extensionSize[file, openExtension] += wordCode - typeStart + 1; openExtension = "" }
    hidden = 0
    opening = ""
  } else if (word == "<" && generics == 1) generics = 2
  else if (word == ">" && generics > 1) generics--
  else if (word == "<" && generics > 1) generics++
  if (word != "<" && generics == 1) generics = 0
  if (inCase) caseGoesOn = word == ","
}

function open() {
  outerParens[++scopes] = parens
  parens = 0
  scopePrivate[scopes] = scopePrivate[scopes - 1]
  if (opening != "" && !outerParens[scopes]) {
    scope[scopes] = opening
    scopeKind[scopes] = openingKind
    if (openingPrivate) scopePrivate[scopes] = 1
    opening = ""
  } else {
    scope[scopes] = scope[scopes - 1]
    scopeKind[scopes] = "code"
  }
  hidden = inCase = generics = 0
}

function name(    kind) {
  kind = scopeKind[scopes]
  caseGoesOn = 0
  if ((word == "private" || word == "fileprivate") && next_ != "(") { hidden = 1; return }
  if (last == "@") return
  if (last == "extension" && beforeLast != ".") {
    opening = word
    openingKind = "extension"
    openingPrivate = hidden
    hidden = 0
    extendsHere[file, word] = 1
    if (!scopes) { openExtension = word; typeStart = wordCode }
    use("type")
    return
  }
  if (opening != "" && openingKind == "extension" && last == "." && opening ~ ("(^|[.])" beforeLast "$")) {
    opening = opening "." word
    return
  }
  if (last in isTypeWord && beforeLast != "." && word ~ /^[A-Z_]/) { declareType(kind); return }
  if (last == "associatedtype") { declare(word, 0); nested(scope[scopes] "." word); return }
  if (last == "func" || ((last == "var" || last == "let") && next_ != "(")) {
    if (last == "func") generics = 1
    if (kind == "code" || parens) local[file, word] = 1
    else { declare(word, last == "func"); hidden = 0 }
    return
  }
  if (last == "case" && kind == "type") inCase = 1
  if (inCase && kind == "type" && !parens && (last == "case" || last == ",")) { declare(word, 0); return }
  if (generics > 1) {
    if (last == "<" || last == "," || last == "each" || last == "let") { shadow[file, word] = 1; return }
  }
  if (pattern > parens) pattern = 0
  if (last == "for" || next_ == "in" || next_ == "->" || pattern) local[file, word] = 1
  if (next_ == ":") { local[file, word] = 1; return }
  if (word == "init") { generics = 1; return }
  if (last == ".") {
    # `StreamQuery.QueryKey` is a qualified type; a member of anything else is found by its name.
    if (beforeLast == target && word ~ /^[A-Z]/) use("type")
    else use("member")
  } else if (word ~ /^[A-Z]/) use("type")
  else if (word ~ /^[a-z_]/) use("bare")
}

function declareType(kind,    full) {
  full = kind == "file" ? word : scope[scopes] "." word
  generics = 1
  if (kind == "file") {
    if (hidden) shadow[file, word] = 1
    else {
      lowest(typeLevel, target SUBSEP word)
      typeCount++
      typeFile[typeCount] = file
      typeName[typeCount] = word
      typeLine[typeCount] = wordLine
      typeSize[typeCount] = 1
      if (last != "typealias") { openType = typeCount; typeStart = wordCode }
    }
  } else if (kind != "code") {
    nested(full)
    declare(word, 0)
  } else shadow[file, word] = 1
  if (last != "typealias") {
    opening = full
    openingKind = "type"
    openingPrivate = hidden
  }
  hidden = 0
}

function nested(full) {
  lowest(nestedLevel, target SUBSEP full)
}

# A member of the type of this scope, or something of the file's own level.
function declare(member, isFunction) {
  if (hidden || scopePrivate[scopes]) { local[file, member] = private_[file, member] = 1; return }
  lowest(nameLevel, target SUBSEP member)
  if (!(member in firstTarget) || firstTarget[member] > targetNumber[target]) firstTarget[member] = targetNumber[target]
  if (scopeKind[scopes] == "file") { lowest(freeLevel, target SUBSEP member); return }
  lowest(memberLevel, target SUBSEP scope[scopes] SUBSEP member)
  if (scopeKind[scopes] != "extension") return
  extensionsOf[target, member] = extensionsOf[target, member] " " scope[scopes]
  declaresHere[file, member] = 1
}

function lowest(table, key) {
  if (!(key in table) || table[key] > levelOf[file]) table[key] = levelOf[file]
}

function use(kind,    key) {
  if (kind == "type" && scope[scopes] opening != "") mentioned[file, word, outermost(scope[scopes] == "" ? opening : scope[scopes])] = 1
  key = file SUBSEP kind SUBSEP word SUBSEP (kind == "member" ? "" : scope[scopes])
  if (key in used) return
  used[key] = 1
  useCount++
  useFile[useCount] = file
  useKind[useCount] = kind
  useName[useCount] = word
  useLine[useCount] = wordLine
  useScope[useCount] = scope[scopes]
}

# MARK: Findings

function checkUse(i,    path, named, target, level, key, where, bases, count, j) {
  path = useFile[i]
  named = useName[i]
  target = targetOf[path]
  level = levelOf[path]
  if (useKind[i] == "type") {
    if ((path, named) in shadow) return
    for (where = useScope[i]; where != ""; where = outer(where)) {
      key = target SUBSEP where "." named
      if (key in nestedLevel) { if (nestedLevel[key] > level) upward(i, nestedLevel[key]); return }
    }
    usedBy(named, stemOf[path])
    if ((target, named) in typeLevel && typeLevel[target, named] > level) upward(i, typeLevel[target, named])
    return
  }
  if (useKind[i] == "bare") {
    if ((path, named) in local) return
    # A type of this target is known with all of its members.
    where = useScope[i]
    sub(/\..*/, "", where)
    key = target SUBSEP useScope[i] SUBSEP named
    if ((target, where) in typeLevel && key in memberLevel) { if (memberLevel[key] > level) upward(i, memberLevel[key]); return }
  }
  if (!((target, named) in nameLevel) || nameLevel[target, named] <= level || firstTarget[named] < targetNumber[target]) return
  if (useKind[i] == "bare") {
    if ((target, named) in freeLevel) upward(i, freeLevel[target, named])
    return
  }
  if ((path, named) in private_ || !((target, named) in extensionsOf)) return
  # Only extensions of types that this folder may know: what has a higher type has been found by its name.
  count = split(extensionsOf[target, named], bases, " ")
  for (j = 1; j <= count; j++) {
    sub(/\..*/, "", bases[j])
    key = target SUBSEP bases[j]
    if (!(key in typeLevel) || typeLevel[key] <= level) { upward(i, nameLevel[target, named]); return }
  }
}

function outermost(where) {
  sub(/[.].*/, "", where)
  return where
}

function outer(where) {
  return sub(/\.[^.]*$/, "", where) ? where : ""
}

# Notes whose files use a type. A file is its type's: that of its name, up to a `+`.
function usedBy(named, stem) {
  if (!(named in users)) users[named] = " "
  if (!index(users[named], " " stem " ")) users[named] = users[named] stem " "
}

function upward(i, level,    key) {
  key = useFile[i] SUBSEP useName[i]
  if (key in told) return
  told[key] = 1
  finding("upward", useFile[i], useLine[i], useName[i], "`" useName[i] "` belongs to " folderAt(targetOf[useFile[i]], level) ", above " folderOf[useFile[i]])
}

function folderAt(target, level,    key, parts) {
  for (key in rank) {
    split(key, parts, SUBSEP)
    if (parts[1] == target && rank[key] == level) return parts[2]
  }
}

# A top-level type stands in a file of its name (arities of one type together), or in one of these:
#
# - Beside its owner, the type that the file is called for up to a `+`, or the operator (`Changes.swift`
#   has `changes()`): its iterator, error or id; a type that no file of another type uses; a small type,
#   with 20 lines of code or fewer and its extensions there, that the owner names in this file.
# - In a family that the file's name tells. The name has several words, or one in the plural, and begins
#   or ends the name of the type: `RefetchPolicy.swift` has `RefetchScope`, `Clocks.swift` has
#   `ErasedClock`. A type with files of its own, such as `Type+Concern.swift`, stays with them.
# - In a family of the list: `family PATH NAME…  # what it is`.
function checkPlace(i,    path, named, stem) {
  path = typeFile[i]
  named = typeName[i]
  stem = stemOf[path]
  typeIn[path, named] = 1
  if (isPlaced(i, path, named, stem)) return
  if ((path, named) in family) {
    usedFamily[path, named] = 1
    counted[targetOf[path], "families"]++
    return
  }
  finding("misplaced", path, typeLine[i], named, "`" named "` is neither in a file of its name, nor beside its owner, nor in a family")
}

function isPlaced(i, path, type, stem,    rest, operator) {
  if (type == stem || type == "_" stem) return 1
  rest = substr(type, 1, length(stem)) == stem ? substr(type, length(stem) + 1) : ""
  if (rest ~ /^[0-9]$/) return 1
  operator = tolower(substr(stem, 1, 1)) substr(stem, 2)
  if ((targetOf[path], stem) in typeLevel || (path, stem) in extendsHere || (path, operator) in declaresHere) {
    if (rest ~ /^(Iterator|Error|ID)$/) return 1
    if (!(type in users) || users[type] == " " stem " ") return 1
    if (typeSize[i] + extensionSize[path, type] <= 20 && (path, type, stem) in mentioned) return 1
  }
  return !((targetOf[path], type) in stems) && isKin(type, stem)
}

function endsIn(text, end) {
  return length(text) > length(end) && substr(text, length(text) - length(end) + 1) == end
}

# Whether a file's name tells the family of a type.
function isKin(type, stem,    word, plural) {
  word = stem
  plural = sub(/ies$/, "y", word) || word !~ /ss$/ && sub(/s$/, "", word)
  if (!plural && stem !~ /[a-z0-9][A-Z]/) return 0
  if (length(type) <= length(word)) return type == word
  if (endsIn(type, word) || endsIn(type, stem)) return 1
  return substr(type, 1, length(word)) == word && substr(type, length(word) + 1, 1) ~ /[A-Z]/
}

function finding(kind, path, number, named, message) {
  if ((path, named) in exceptionLine) { usedException[path, named] = 1; return }
  counted[targetOf[path], kind]++
  messages[targetOf[path], kind] = messages[targetOf[path], kind] path ":" number ": [" kind "] " message "\n"
}

function finish(    target, i, key, parts, kinds, sum, files) {
  split("upward misplaced families", kinds, " ")
  for (target in targetLine) {
    if (!(target in inhabited)) fail(targetLine[target], "there is no target " target)
    for (i = 1; i <= 3; i++) {
      key = target SUBSEP kinds[i]
      counted[key] += 0
      if (all) { printf "%s", messages[key]; print target ": " kinds[i] " " counted[key]; continue }
      if (counted[key] > allowed[key]) {
        failures++
        printf "%s", messages[key] > "/dev/stderr"
        print "layers: " target " has " counted[key] " " kinds[i] ", " list " allows " allowed[key] ": one of these is new" > "/dev/stderr"
      } else if (counted[key] < allowed[key])
        fail(targetLine[target], target " has fewer " kinds[i] " than this says: write `" kinds[i] " " counted[key] "`, so that the number only goes down")
      if (i < 3) sum += counted[key]
    }
  }
  for (key in folderLine) {
    split(key, parts, SUBSEP)
    if (!(key in inhabited)) fail(folderLine[key], "there is no folder " parts[2] " in " parts[1])
  }
  for (key in family) {
    split(key, parts, SUBSEP)
    if (!(key in typeIn)) fail(family[key], parts[1] " has no top-level type " parts[2] ": take it off the family")
    else if (!(key in usedFamily)) fail(family[key], parts[2] " is in its place without a family: take it off")
  }
  for (key in exceptionLine) if (!(key in usedException)) fail(exceptionLine[key], "the exception is needed no longer: take it off")
  if (all) exit 0
  if (failures) exit 1
  for (key in targetOf) files++
  print "layers: " files " files are in order but for " sum " names that were there before"
}
