internal import StreamQuery

/// The keys of a moment, filtered, sorted and grouped.
///
/// A change moves only the keys that changed: it compares each of them with the logarithm of the list's length, and
/// copies numbers. A change of the filter or the order looks at all keys once.
struct KeyList: Sendable {
  /// The keys of one first part.
  struct Group: Hashable, Sendable, Identifiable {
    let title: String
    /// The number of its keys, shown or not.
    var count: Int
    /// The place of the first of its keys in ``KeyList/numbers``.
    fileprivate(set) var start = 0
    /// The number of its keys that are shown.
    fileprivate(set) var shownCount = 0

    var id: String { title }
    /// Whether its keys are shown.
    var isShown: Bool { shownCount > 0 }
  }

  /// The work that was done, for tests: time tells less.
  struct Work: Hashable, Sendable {
    /// Rows that were looked at.
    var rows = 0
    /// Keys whose text was searched.
    var searches = 0
    /// Pairs of places that were compared.
    var comparisons = 0
  }

  /// The properties of a key by which it is sorted.
  private struct Place: Sendable {
    let group: String
    let rank: Int64
    let text: String
    let number: Int

    func isBefore(_ other: Self, isReversed: Bool) -> Bool {
      if group != other.group { return group < other.group }
      let (one, other) = isReversed ? (other, self) : (self, other)
      if one.rank != other.rank { return one.rank < other.rank }
      if one.text != other.text { return one.text < other.text }
      return one.number < other.number
    }
  }

  /// The keys that are shown, in order.
  private(set) var numbers: [Int] = []
  /// The groups in the order of their titles, if keys are grouped; those without keys are not there.
  private(set) var groups: [Group] = []
  /// The number of keys that match, shown or not.
  var matchCount: Int { places.count }
  private(set) var listing: KeyListing
  private(set) var work = Work()
  /// The places of the keys that match.
  private var places: [Int: Place] = [:]
  /// Whether the text of a key matches the filter; it never changes.
  private var textMatches: [Int: Bool] = [:]
  private var counts: [String: Int] = [:]

  init(_ listing: KeyListing = KeyListing()) {
    self.listing = listing
  }

  /// The keys of a group that are shown.
  func numbers(in group: Group) -> ArraySlice<Int> {
    numbers[group.start..<group.start + group.shownCount]
  }

  /// Lists other keys, or in another order.
  ///
  /// - Complexity: The number of keys, and its logarithm for each if the order changes. A longer text is searched
  ///   only where the shorter one was found.
  mutating func list(_ listing: KeyListing, _ replay: RecordReplay, at moment: RecordReplay.Moment)
  {
    guard listing != self.listing else { return }
    let isNarrower = listing.text.containsIgnoringCase(self.listing.text)
    if listing.text != self.listing.text {
      textMatches = isNarrower ? textMatches.filter { !$0.value } : [:]
    }
    self.listing = listing
    rebuild(replay, at: moment)
  }

  /// Lists all keys anew.
  mutating func rebuild(_ replay: RecordReplay, at moment: RecordReplay.Moment) {
    (numbers, groups, places, counts) = ([], [], [:], [:])
    textMatches = textMatches.filter { replay.keys[$0.key] != nil }
    places.reserveCapacity(replay.keys.count)
    change(replay.keys.keys, replay, at: moment)
  }

  /// Takes the changes of some keys.
  ///
  /// - Parameters:
  ///   - changed: The keys whose state may be another one.
  ///   - forgotten: The keys that are no longer known.
  ///   - replay: Knows their states.
  ///   - moment: The moment that is listed.
  /// - Complexity: The number of changed keys with the logarithm of the number of keys, and copies of numbers.
  mutating func update(
    _ changed: Set<Int>,
    forgotten: Set<Int> = [],
    _ replay: RecordReplay,
    at moment: RecordReplay.Moment
  ) {
    change(forgotten.isEmpty ? changed : changed.union(forgotten), replay, at: moment)
    for number in forgotten { textMatches[number] = nil }
  }

  private mutating func change(
    _ changed: some Sequence<Int>,
    _ replay: RecordReplay,
    at moment: RecordReplay.Moment
  ) {
    var (added, removed): ([Place], [Place]) = ([], [])
    for number in changed {
      let (old, new) = (places[number], place(of: number, replay, at: moment))
      if let old, let new, old.rank == new.rank { continue }
      if let old { removed.append(old) }
      if let new { added.append(new) }
    }
    guard !added.isEmpty || !removed.isEmpty else { return }
    // This comes first, because a search for a key needs the places by which the list is still
    // sorted.
    removeShown(removed.filter(isShown))
    for place in removed {
      places[place.number] = nil
      counts[place.group, default: 0] -= 1
    }
    insertShown(added.filter(isShown))
    for place in added {
      places[place.number] = place
      counts[place.group, default: 0] += 1
    }
    if listing.isGrouped { regroup() }
  }

  /// Whether the keys of the group are shown.
  private func isShown(_ place: Place) -> Bool {
    !listing.isGrouped || !listing.collapsed.contains(place.group)
  }

  /// The place of a key; `nil` if it does not match.
  private mutating func place(
    of number: Int,
    _ replay: RecordReplay,
    at moment: RecordReplay.Moment
  ) -> Place? {
    work.rows += 1
    guard let row = replay.row(of: number, at: moment), listing.state.matches(row.state),
      matchesText(row.key)
    else { return nil }
    return Place(
      group: listing.isGrouped ? row.key.parts.first?.title ?? "" : "",
      rank: listing.order.rank(row),
      text: row.key.text,
      number: number
    )
  }

  private mutating func matchesText(_ key: QueryRecord.Key) -> Bool {
    if listing.text.isEmpty { return true }
    if let known = textMatches[key.number] { return known }
    work.searches += 1
    let matches =
      key.text.containsIgnoringCase(listing.text)
      || key.valueType.containsIgnoringCase(listing.text)
    textMatches[key.number] = matches
    return matches
  }

  // MARK: Order

  private mutating func isBefore(_ one: Place, _ other: Place) -> Bool {
    work.comparisons += 1
    return one.isBefore(other, isReversed: listing.isReversed)
  }

  /// The index in the list at which a key is, or belongs.
  private mutating func index(of place: Place) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = low + (high - low) / 2
      if let other = places[numbers[middle]], isBefore(other, place) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private mutating func removeShown(_ removed: [Place]) {
    guard !removed.isEmpty else { return }
    var rest: [Int] = []
    rest.reserveCapacity(numbers.count)
    var next = 0
    for index in removed.map({ index(of: $0) }).sorted() {
      rest += numbers[next..<index]
      next = index + 1
    }
    rest += numbers[next...]
    numbers = rest
  }

  private mutating func insertShown(_ added: [Place]) {
    guard !added.isEmpty else { return }
    let isReversed = listing.isReversed
    var comparisons = 0
    let sorted = added.sorted {
      comparisons += 1
      return $0.isBefore($1, isReversed: isReversed)
    }
    work.comparisons += comparisons
    var merged: [Int] = []
    merged.reserveCapacity(numbers.count + sorted.count)
    var next = 0
    for place in sorted {
      let index = index(of: place)
      merged += numbers[next..<index]
      merged.append(place.number)
      next = index
    }
    merged += numbers[next...]
    numbers = merged
  }

  /// Counts the keys of groups anew.
  ///
  /// - Complexity: The number of groups, and its logarithm if one came or went.
  private mutating func regroup() {
    let isOther = counts.count != groups.count || counts.values.contains(0)
    counts = isOther ? counts.filter { $0.value > 0 } : counts
    let titles = isOther ? counts.keys.sorted() : groups.map(\.title)
    var start = 0
    groups = titles.map { title in
      let count = counts[title] ?? 0
      let shownCount = listing.collapsed.contains(title) ? 0 : count
      defer { start += shownCount }
      return Group(title: title, count: count, start: start, shownCount: shownCount)
    }
  }
}
