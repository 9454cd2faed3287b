# The rules of purity.sh, behind swift-code.awk. Portable awk: no gensub, no intervals, no word
# boundaries.
#
# Variables: list, the path of the shell list; propose, 1 to print the files that belong on it.
# Input: every Swift file of the checkout.

BEGIN {
  # What a query, a mutation and a filter are made of, apart from what the cache has of them.
  CLOSURES = "[^A-Za-z0-9_](RefetchPolicy[^.A-Za-z0-9_]|(QueryDefinition|DefinitionExtras|QueryOptions|ObserverOptions|" \
    "ResolvedQuery|DefaultsTable|QueryDefaults|RetryPolicy|ThrowPolicy|SharingPolicy|" \
    "StaleTime|RefetchInterval|EnabledPolicy|FetchContext|ResolvedMutation|MutationDefinition|MutationOptions|" \
    "MutationCallbacks|MutationHooks|MutationDefaultsTable|OptimisticChanges|TypedLayer|QueryFilter|" \
    "MutationFilter)[^A-Za-z0-9_])"
  # What the cache has of them, and keeps.
  HELD = "^Sources/StreamQuery/(Cache/|Tasks/|Machines/(FetchLimiter|WaitGraph|ReturnPacing)[.]|" \
    "Queries/(StoredQuery|EntryFilter)[.]|Mutations/StoredMutation[.]|" \
    "Mutations/Mutation(Job|Table)[.]|Values/(OptimisticLayer|QueryFeature)[.])"
  while ((getline line < list) > 0) {
    number++
    sub(/#.*/, "", line)
    gsub(/^[ \t]+|[ \t\r]+$/, "", line)
    if (line == "") continue
    if (line in shell) report(list, number, "list", line " is listed twice")
    shell[line] = number
  }
  close(list)
}

FNR == 1 {
  endFile()
  file = FILENAME
  sub(/^\.\//, "", file)
  seen[file] = 1
  fileCount++
  beginCode()
  text = block = ""
  lineComment = previousComment = ""
  pending = 0
  inSources = file ~ /^Sources\//
  inPlaygrounds = file ~ /^Playgrounds\/Sources\//
  inTests = file ~ /(^|\/)Tests\//
  suite = ""
  if (inTests && file ~ /\/[A-Za-z0-9]+Tests\.swift$/) {
    suite = file
    gsub(/^.*\/|\.swift$/, "", suite)
  }
}

{
  length400 = FNR
  previousComment = lineComment
  if (lineComment == "" || trim(text) != "") block = ""
  else block = block " " lineComment
  text = code($0)
  padded = " " text " "

  if (suite != "" && padded ~ "[^A-Za-z0-9_](struct|class|enum|actor) " suite "[^A-Za-z0-9_]") suite = ""
  if (inTests && padded ~ /[^A-Za-z0-9_](Task\.sleep|Task\.yield|usleep|nanosleep|Thread\.sleep)[^A-Za-z0-9_]/)
    report(file, FNR, "sleep", "tests move virtual time instead of sleeping or yielding: " trim($0))

  if (inSources) {
    found = impure(padded)
    if (found != "") {
      if (file in shell) touchesWorld[file] = 1
      else if (propose) { if (file != proposed) print file; proposed = file }
      else report(file, FNR, "pure", "`" found "` in a file that is not on " list ": " trim($0))
    }
    if (!explained() && padded ~ /@unchecked Sendable|nonisolated\(unsafe\)|[^A-Za-z0-9_]try!|[^A-Za-z0-9_](fatalError|unsafeDowncast)\(/)
      report(file, FNR, "reason", "needs a `//` comment, on its line or the one above, that says why it is right: " trim($0))
    if (file ~ HELD) {
      if (padded ~ CLOSURES)
        report(file, FNR, "closure", "the cache names no type that holds closures of users; it keeps what is stored of them, such as a `StoredQuery`: " trim($0))
      if (padded ~ /\.(resolved[^A-Za-z0-9_(]|applied\(to:)/)
        report(file, FNR, "closure", "the cache calls no user code; the client does, outside the lock: " trim($0))
      if (padded ~ /[^A-Za-z0-9_](let|var) [A-Za-z0-9_]+:.*(@Sendable|->)/ && !explained())
        report(file, FNR, "closure", "the cache keeps no closure; if it is no user's, say so in a comment: " trim($0))
    }
    tasks()
    numbers()
    constants()
    shifts()
  }
  if (inSources || inPlaygrounds) states()
}

END {
  endFile()
  if (propose) exit 0
  for (path in shell)
    if (!(path in seen)) report(list, shell[path], "list", path " does not exist: take it off the list")
    else if (!(path in touchesWorld)) report(list, shell[path], "list", path " is pure: take it off the list")
  if (failures) {
    print "purity: " failures " findings" > "/dev/stderr"
    if (impureFiles)
      print "purity: either move the decision into a value that is told what happened, or, when the file's work is to touch the world, add its path to " list > "/dev/stderr"
    exit 1
  }
  shellCount = 0
  for (path in shell) shellCount++
  print "purity: " fileCount " files are fine, " shellCount " of them touch the world"
}

function report(path, number, rule, message) {
  if (propose) return
  if (rule == "pure") impureFiles = 1
  failures++
  print path ":" number ": [" rule "] " message > "/dev/stderr"
}

# Remembers which names are unsigned numbers that may not fit into an `Int` of 32 bits, as older watches have
# it, and where the file converts something: a name may be declared below its use.
function numbers(    rest, name) {
  rest = padded
  while (match(rest, /[A-Za-z_][A-Za-z0-9_]*: UInt(32|64)?[^A-Za-z0-9_]/)) {
    name = substr(rest, RSTART, RLENGTH)
    sub(/:.*/, "", name)
    unsigned[name] = 1
    rest = substr(rest, RSTART + RLENGTH)
  }
  if (match(padded, /(let|var) [A-Za-z_][A-Za-z0-9_]* = (.*as: )?UInt(32|64)?(\(|\.self)/)) {
    name = substr(padded, RSTART + 4, RLENGTH)
    sub(/ .*/, "", name)
    unsigned[name] = 1
  }
  if (padded ~ /[^A-Za-z0-9_.]Int\([^)]/) {
    conversions++
    conversion[conversions] = padded
    conversionLine[conversions] = FNR
  }
}

# Reports the conversions of such numbers.
function narrowed(    i, rest, argument, name) {
  for (i = 1; i <= conversions; i++) {
    rest = conversion[i]
    while (match(rest, /[^A-Za-z0-9_.]Int\(/)) {
      rest = substr(rest, RSTART + RLENGTH)
      argument = inner(rest)
      if (argument ~ /^(exactly|clamping|truncatingIfNeeded|bitPattern):/) continue
      name = argument
      sub(/.*[^A-Za-z0-9_]/, "", name)
      if (argument ~ /(^|[^A-Za-z0-9_])UInt(32|64)?(\(|\.self)/ || name in unsigned)
        report(file, conversionLine[i], "narrow", "this number may not fit into an Int of 32 bits: write `Int(exactly:)`, `Int(clamping:)` or `Int(truncatingIfNeeded:)`: Int(" argument ")")
    }
  }
  conversions = 0
  split("", unsigned)
}

# Reports whole numbers of a time, or without a type, that do not fit: they have the type Int.
function constants(    rest, value) {
  rest = padded
  while (match(rest, /(seconds|minutes|hours|(let|var) [A-Za-z_][A-Za-z0-9_]*(: Int)? = )\(?[0-9][0-9_]*( \* [0-9][0-9_]*)*[^0-9_]/)) {
    value = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    if (value ~ /\.$/ && rest ~ /^[0-9]/ || rest ~ /^as U?Int64[^0-9]/) continue
    gsub(/^[^=(]*[=(] ?\(?|[^0-9]$/, "", value)
    if (product(value) > 2147483647)
      report(file, FNR, "narrow", "this number does not fit into an Int of 32 bits: write `" value " as Int64`")
  }
}

# Reports whole numbers without a type that are shifted too far: they have the type Int, also where they are
# converted to another one.
function shifts(    rest, value) {
  rest = padded
  while (match(rest, /([^A-Za-z0-9_.][A-Z][A-Za-z0-9]*\(|(seconds|minutes|hours)\(|(let|var) [A-Za-z_][A-Za-z0-9_]*(: Int)? = )-?[0-9][0-9A-Za-z_]* &?<< [0-9]+[^0-9]/)) {
    value = substr(rest, RSTART, RLENGTH - 1)
    rest = substr(rest, RSTART + RLENGTH)
    if (rest ~ /^as U?Int64[^0-9]/) continue
    gsub(/^.*\(|^.* = /, "", value)
    if (substr(value, index(value, "<<") + 2) + 0 > 30)
      report(file, FNR, "narrow", "this shift does not fit into an Int of 32 bits: give the literal of `" value "` a type")
  }
}

# The product of some whole numbers.
function product(text,    factors, count, i, result) {
  gsub(/[^0-9*]/, "", text)
  count = split(text, factors, "*")
  result = 1
  for (i = 1; i <= count; i++) result *= factors[i]
  return result
}

# Remembers the properties that SwiftUI keeps for a view, and where the file gives them their first value.
function states(    name) {
  if (padded ~ /[^A-Za-z0-9_]@State[^A-Za-z0-9_]/) {
    name = padded
    if (name !~ /@State (private )?var [A-Za-z_][A-Za-z0-9_]*: [^=]*$/) {
      report(file, FNR, "state", "a macro in newer SDKs: write `@State private var name: Type`, and give it its value in an initialiser: " trim($0))
    } else {
      sub(/.*@State (private )?var /, "", name)
      sub(/:.*/, "", name)
      state[name] = FNR
    }
  }
  if (match(padded, /[^A-Za-z0-9_]_[A-Za-z0-9_]+ = State\(/)) {
    name = substr(padded, RSTART + 2, RLENGTH)
    sub(/ .*/, "", name)
    made[name] = 1
  }
}

# Reports those without a first value in the file.
function stateless(    name) {
  for (name in state)
    if (!(name in made)) report(file, state[name], "state", "a macro in newer SDKs: this file has no initialiser with `_" name " = State(…)`")
  split("", state)
  split("", made)
}

# What stands before the closing parenthesis.
function inner(text,    depth, i, letter) {
  depth = 1
  for (i = 1; i <= length(text); i++) {
    letter = substr(text, i, 1)
    if (letter == "(") depth++
    if (letter == ")" && --depth == 0) return substr(text, 1, i - 1)
  }
  return text
}

function trim(text) {
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  return text
}

function endFile() {
  if (file == "") return
  if (pending) report(file, pending, "executor", taskMessage)
  pending = 0
  narrowed()
  stateless()
  if (suite != "") report(file, 1, "suite", "it declares no suite of its name: " suite)
  if (length400 > 400 && !inTests)
    report(file, length400, "length", length400 " lines: no file outside Tests has more than 400, split it by concern")
}

# The first word of the world in a line of code.
function impure(padded) {
  if (padded ~ /[^A-Za-z0-9_]await[^A-Za-z0-9_]/) return "await"
  if (padded ~ /[^A-Za-z0-9_]Task[^A-Za-z0-9_]/) return "Task"
  if (padded ~ /Continuation[^A-Za-z0-9_]/) return "Continuation"
  if (padded ~ /[^A-Za-z0-9_](Contended)?Mutex[^A-Za-z0-9_]/) return "Mutex"
  # The environment of a transaction carries the time as an argument: it was read before.
  gsub(/[^A-Za-z0-9_.]((transaction|state|[$]0)\.)?environment\.now/, " given", padded)
  gsub(/self\.now = now/, " given", padded)
  if (padded ~ /\.now[^A-Za-z0-9_]/) return ".now"
  # A clock that is handed on is a value; one that is made reads the time.
  if (padded ~ /Clock\(\)/) return "Clock"
  # A generator that is handed in is an argument as any other.
  if (padded ~ /\.(random|randomElement|shuffle|shuffled)\(/ && padded !~ /using:/) return "random"
  if (padded ~ /SystemRandomNumberGenerator/) return "random"
  if (padded ~ /[^A-Za-z0-9_]Date\(\)/) return "Date()"
  return ""
}

# A comment that is no documentation, on this line or the one above; or documentation right above
# that speaks of the matter.
function explained() {
  return plain(lineComment) || plain(previousComment) || block ~ /[Uu]nchecked|unsafe|Sendable|[Tt]rap/
}

function plain(text) {
  return text ~ /^\/\/[^\/]/
}

# A task without an executor preference leaves the executor that tests and clients chose. It is given
# by `executorPreference:`, or by our own `on:`, which gives none if there is none. The argument may stand a few lines after the name, so a finding waits for the closing parenthesis.
function tasks(    call) {
  if (pending) {
    if (text ~ /executorPreference|on: /) pending = 0
    else if (text ~ /\)/) {
      report(file, pending, "executor", taskMessage)
      pending = 0
    }
  }
  call = padded
  gsub(/(->|:)[ ]*Task(<[^={]*>)?[?]?/, " ", call)  # a type, not a task that is made
  if (call !~ /[^A-Za-z0-9_.]Task(<.*>)?(\.detached|\.immediate|\.immediateDetached)?[ ]*[{(]/) return
  if (padded ~ /executorPreference|[(, ]on: / || (lineComment block) ~ /no[ \/]+executor[ \/]+preference(,[ \/]+because|:) /) return
  taskMessage = "a task without `on:` or `executorPreference:`; if that is right, say so in a comment `// It has no executor preference, because …`: " trim($0)
  if (padded ~ /Task(<.*>)?(\.[a-zA-Z]+)?[ ]*\([^)]*$/) pending = FNR
  else report(file, FNR, "executor", taskMessage)
}
