# The counts of texts.sh, behind limits.awk. Portable awk, as layers.awk.
#
# Variables: list, the path of texts.txt; all, 1 to print what is counted.
# Input: every Markdown file of the documentation, then the texts beside it, as bytes: LC_ALL=C.

BEGIN {
  bounds = "^(words|page|least|lines) "
  leasts = "^$"
  readLimits()
  openings = "(What|Who|Whoever|Those that|One that)"
  conditions = " (if|unless|when|whenever|while|until|once (the|its?|they|you|this|that|those|all)|as soon as) "
  # A landing page is a guide if its module has no other article.
  for (i = 1; i < ARGC; i++) if (ARGV[i] ~ /\.docc\/[^\/]*$/) articles[moduleOf(ARGV[i])]++
}

FNR == 1 { endPage(); beginPage() }

{ last = FNR }

source != "" && !inCode && !(kind == "table" ? /^\|/ : /^(\||```)/) { endExcerpt() }

# Beside the articles, blocks without a mark may be wide: Scripts/release.sh finds the line of a manifest whole.
/^[ \t]*(```|~~~)/ {
  endText()
  inCode = !inCode
  isSample = isArticle || /```(swift|text)$/
  if (/```text$/) hasOutput = 1
  if (source != "" && inCode) kind = "block"
  else if (source != "") endExcerpt()
  next
}

inCode {
  if (source != "") readLine()
  if (isSample && width($0) > 64) found("wide " module, here(), $0)
  next
}

# What follows is taken from a file.
/^<!-- [^ ]+\/Expected\/[^ ]+ -->$/ { endText(); beginExcerpt($2); next }

/^## / { endText(); inTopics = $0 == "## Topics" }

inTopics { next }

# The first paragraph says why.
/^## / { saysWhy = $0 == "## Overview" }

/^## See Also$/ { hasLinks = 1 }

# 1 in the section of edge cases, and 2 if it has a list.
/^##/ && !hasLinks { edges = /^###? Edge cases/ }

edges == 1 && /^[-*] / { edges = 2 }

/^[ \t]*$/ { endText(); next }

# A row of links is no text.
/^[ \t]*[-*] (<doc:[^>]*>|``[^`]*``)[ \t]*$/ { endText(); next }

/^[ \t]*\|/ {
  endText()
  if (!/^[ \t|:-]*$/) readRow()
  else isBody = 1
  lastRow = here()
  next
}

/^[ \t]*#/ { endText(); sub(/^[ \t]*#+/, ""); if (!/^ ``[^`]*``$/) addWords($0); next }

{
  if (match($0, /^[ \t]*([-*+>]|[0-9]+\.)[ \t]+/)) {
    endText()
    $0 = substr($0, RLENGTH + 1)
  }
  if (paragraph == "") place = here()
  paragraph = paragraph " " $0
}

END {
  endPage()
  takeAlong("words all", 250)
  compare()
}

# MARK: A page

function moduleOf(path,    parts) {
  split(path, parts, "/")
  return parts[2]
}

function beginPage() {
  page = FILENAME
  gsub(/.*\/|\.md$/, "", page)
  isArticle = FILENAME ~ /\.docc\//
  module = FILENAME ~ /^(Sources|Integrations)\// ? moduleOf(FILENAME) : page
  inCode = inTopics = saysWhy = words = hasOutput = hasLinks = edges = 0
  current = FILENAME
  # Not a landing page above others, nor what is said beside a type.
  isGuide = (page != module || articles[module] == 1) && FILENAME !~ /\/Extensions\//
}

function endPage(    key, may) {
  if (current == "") return
  endText()
  if (source != "") endExcerpt()
  # Only articles have limits of words.
  if (!isArticle) {
    if (module == page) count["lines " page] = last
    if (module == page) takeAlong("lines " page, 10)
    current = ""
    return
  }
  key = "words " page
  count[key] += words
  count["words all"] += words
  if (isGuide) {
    if (words < limit["least all"]) found("short " module, current, words " words")
    if (!hasOutput) found("silent " module, current, "shows no output")
    if (edges != 2) found("edgeless " module, current, "does not end with a list of edge cases")
    if (!hasLinks) found("lonely " module, current, "has no See Also")
  }
  may = limit["page all"]
  if (key in limit) {
    if (words <= may) refuse(key " is " words ": delete its line in " list)
    takeAlong(key, 25)
  } else if (words > may) {
    refuse(current " has " words " words, " list " says " may)
  }
  current = ""
}

# A count that has fallen by more than this takes its limit along.
function takeAlong(key, slack) {
  if (count[key] + slack < limit[key]) refuse(key " is " count[key] ": write `" key " " count[key] "` in " list)
}

# MARK: Text

function endText() {
  if (paragraph != "" && saysWhy) readWhy(plain(paragraph))
  if (paragraph != "") readText(plain(paragraph), place)
  paragraph = ""
}

function readWhy(text) {
  saysWhy = 0
  # A question in quotes, within a sentence, does not end that sentence.
  if (isGuide && gsub(/[.!?][)"]*( +([A-Z"(]|code)|$)/, "", text) > 2)
    found("rambling " module, place, "says why in more than two sentences")
}

# The text as a reader sees it: code is one word, an image none, and an address is not read.
function plain(text) {
  gsub(/<!--[^>]*-->/, "", text)
  gsub(/``[^`]*``|`[^`]*`/, "code", text)
  gsub(/<doc:[^>]*>|<http[^>]*>/, "link", text)
  gsub(/!\[[^]]*\]\([^)]*\)/, "", text)
  gsub(/\]\([^)]*\)/, "", text)
  gsub(/[][*_]/, "", text)
  return text
}

function addWords(text,    n, i, parts) {
  n = split(plain(text), parts, /[ \t]+/)
  for (i = 1; i <= n; i++) if (parts[i] ~ /[A-Za-z0-9]/) words++
}

function readText(text, where) {
  addWords(text)
  sub(/^[ \t]+/, "", text)
  readSentences(text, where)
  while (match(text, "(^|[.!?][)\"]* +)" openings "[ ,']")) {
    found("openings " module, where, substr(text, RSTART, 70))
    text = substr(text, RSTART + RLENGTH)
  }
}

# Sentences with more than one condition.
function readSentences(text, where,    n, i, sentences, words_) {
  n = split(text, sentences, /[.!?:;][)"]* +/)
  for (i = 1; i <= n; i++) {
    words_ = tolower(" " sentences[i] " ")
    gsub(/[^a-z' ]/, " & ", words_)
    if (gsub(conditions, "", words_) > 1) found("conditions " module, where, substr(sentences[i], 1, 200))
  }
}

function readRow(    row, n, i, cells) {
  row = $0
  gsub(/^[ \t]*\||\|[ \t]*$/, "", row)
  row = plain(row)
  n = split(row, cells, "|")
  if (n > 3 && lastRow != FILENAME ":" (FNR - 1)) found("columns " module, here(), n " columns")
  for (i = 1; i <= n; i++) readText(cells[i], here())
  if (source == "") return
  kind = "table"
  for (i = 2; isBody && i <= n; i++) column[i] = column[i] " " cells[i]
}

# MARK: Excerpts

function beginExcerpt(path,    line) {
  source = path
  sourcePlace = here()
  kind = ""
  isBody = originals = at = 0
  split("", column)
  while ((getline line < path) > 0) original[++originals] = line
  close(path)
  if (!originals) refuse(sourcePlace ": there is no " path)
}

# A line of a block: a line of the file, behind the one before.
function readLine() {
  while (at++ < originals) if (original[at] == $0) return
  refuse(here() ": after the line before, " source " has no `" $0 "`")
}

# A table: the numbers of its columns, from the second on and downwards, are numbers of the file in this order.
function endExcerpt(    i, j, n, own, numbers) {
  if (kind == "") refuse(sourcePlace ": no block and no table follows")
  for (i = 1; kind == "table" && i <= originals; i++) numbers = numbers " " numbersOf(original[i])
  for (i = 2; i in column; i++) {
    n = split(numbersOf(column[i]), own, " ")
    for (j = 1; j <= n; j++) {
      at = index(numbers " ", " " own[j] " ")
      if (!at) refuse(sourcePlace ": after the number before, " source " has no " own[j])
      else numbers = substr(numbers, at + length(own[j]) + 1)
    }
  }
  source = ""
}

# The numbers in a text, with a space between, and without commas.
function numbersOf(text,    numbers) {
  while (match(text, /[0-9][0-9,]*(\.[0-9]+)?/)) {
    numbers = numbers " " substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
  }
  gsub(/,/, "", numbers)
  return numbers
}

# The characters of a line of UTF-8.
function width(line) {
  gsub(/[\200-\277]/, "", line)
  return length(line)
}
