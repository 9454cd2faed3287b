# The counts of texts.sh, behind limits.awk. Portable awk, as layers.awk.
#
# Variables: list, the path of texts.txt; all, 1 to print what is counted.
# Input: every Markdown file of the documentation, then README.md and the skill, as bytes: LC_ALL=C.

BEGIN {
  bounds = "^(words|page|least) "
  leasts = "^$"
  readLimits()
  openings = "(What|Who|Whoever|Those that|One that)"
}

FNR == 1 { endPage(); beginPage() }

# Beside the articles, blocks without a mark may be wide: Scripts/release.sh finds the line of a manifest whole.
/^[ \t]*(```|~~~)/ {
  endText()
  inCode = !inCode
  isSample = isArticle || /```(swift|text)$/
  next
}

inCode {
  if (isSample && width($0) > 64) found("wide " module, here(), $0)
  next
}

/^## / { endText(); inTopics = $0 == "## Topics" }

inTopics { next }

/^[ \t]*$/ { endText(); next }

# A row of links is no text.
/^[ \t]*[-*] (<doc:[^>]*>|``[^`]*``)[ \t]*$/ { endText(); next }

/^[ \t]*\|/ {
  endText()
  if (!/^[ \t|:-]*$/) readRow()
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

function beginPage(    parts) {
  split(FILENAME, parts, "/")
  page = FILENAME
  gsub(/.*\/|\.md$/, "", page)
  isArticle = FILENAME ~ /\.docc\//
  module = isArticle ? parts[2] : page
  inCode = inTopics = words = 0
  current = FILENAME
  # Not a landing page, nor what is said beside a type.
  isGuide = page != module && FILENAME !~ /\/Extensions\//
}

function endPage(    key, may) {
  if (current == "") return
  endText()
  # Only articles have limits of words.
  if (!isArticle) { current = ""; return }
  key = "words " page
  count[key] += words
  count["words all"] += words
  if (isGuide && words < limit["least all"]) found("short " module, current, words " words")
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
  if (paragraph != "") readText(plain(paragraph), place)
  paragraph = ""
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
  while (match(text, "(^|[.!?][)\"]* +)" openings "[ ,']")) {
    found("openings " module, where, substr(text, RSTART, 70))
    text = substr(text, RSTART + RLENGTH)
  }
}

function readRow(    row, n, i, cells) {
  row = $0
  gsub(/^[ \t]*\||\|[ \t]*$/, "", row)
  row = plain(row)
  n = split(row, cells, "|")
  if (n > 3 && lastRow != FILENAME ":" (FNR - 1)) found("columns " module, here(), n " columns")
  for (i = 1; i <= n; i++) readText(cells[i], here())
}

# The characters of a line of UTF-8.
function width(line) {
  gsub(/[\200-\277]/, "", line)
  return length(line)
}
