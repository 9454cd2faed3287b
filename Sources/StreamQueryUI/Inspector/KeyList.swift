internal import StreamQuery

/// The keys of a moment, filtered, sorted and grouped.
///
/// A change moves only the changed keys. Each of them costs a logarithmic number of comparisons and a copy of
/// the list's numbers. A change of the filter or the order visits all keys once.
struct KeyList: Sendable {
  /// The keys with the same first part.
  struct Group: Hashable, Sendable, Identifiable {
    let title: String
    /// The number of the group's keys, visible or not.
    var count: Int
    /// The position of the group's first key in ``KeyList/numbers``.
    fileprivate(set) var start = 0
    /// The number of the group's keys that are visible.
    fileprivate(set) var shownCount = 0

    var id: String { title }
    /// Whether the group's keys are visible.
    var isShown: Bool { shownCount > 0 }
  }

  /// Counts of the work that was done; tests check them instead of measuring time.
  struct Work: Hashable, Sendable {
    /// The number of rows that were made.
    var rows = 0
    /// The number of keys with a text that was searched.
    var searches = 0
    /// The number of comparisons of two keys by the properties that sort them.
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

  /// The numbers of the visible keys, in order.
  private(set) var numbers: [Int] = []
  /// The groups that have keys, sorted by title; empty if keys are not grouped.
  private(set) var groups: [Group] = []
  /// The number of keys that match the filter, visible or not.
  var matchCount: Int { places.count }
  private(set) var listing: KeyListing
  private(set) var work = Work()
  /// The sorting properties of the keys that match the filter, by number.
  private var places: [Int: Place] = [:]
  /// Whether the text of each key matches the filter's text; a key's text never changes.
  private var textMatches: [Int: Bool] = [:]
  private var counts: [String: Int] = [:]

  init(_ listing: KeyListing = KeyListing()) {
    self.listing = listing
  }

  /// Returns the numbers of a group's visible keys.
  func numbers(in group: Group) -> ArraySlice<Int> {
    numbers[group.start..<group.start + group.shownCount]
  }

  /// Changes the filter or the order of the list.
  ///
  /// - Complexity: O(*n* log *n*) in the number of keys. If a text is extended, only keys that match the
  ///   shorter text are searched.
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

  /// Builds the list again from all keys.
  mutating func rebuild(_ replay: RecordReplay, at moment: RecordReplay.Moment) {
    (numbers, groups, places, counts) = ([], [], [:], [:])
    textMatches = textMatches.filter { replay.keys[$0.key] != nil }
    places.reserveCapacity(replay.keys.count)
    change(replay.keys.keys, replay, at: moment)
  }

  /// Updates the list after changes of some keys.
  ///
  /// - Parameters:
  ///   - changed: The keys with a state that may have changed.
  ///   - forgotten: The keys that the replay no longer knows.
  ///   - replay: Has the states of the keys.
  ///   - moment: The moment of the list.
  /// - Complexity: The number of changed keys times the logarithm of the number of keys, and a copy of the
  ///   numbers.
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
    // Keys are removed first, because the search for a key needs the places by which the list is still
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

  /// Whether the list shows the key with this place: its group is expanded, or keys are not grouped.
  private func isShown(_ place: Place) -> Bool {
    !listing.isGrouped || !listing.collapsed.contains(place.group)
  }

  /// Returns the properties that sort a key; `nil` if the key does not match the filter.
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

  /// Returns the index in the list at which a key is, or at which it belongs.
  private mutating func index(of place: Place) -> Int {
    let (places, isReversed) = (places, listing.isReversed)
    var comparisons = 0
    defer { work.comparisons += comparisons }
    return numbers.partitionIndex { number in
      comparisons += 1
      return places[number]?.isBefore(place, isReversed: isReversed) != true
    }
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

  /// Counts the keys of all groups again.
  ///
  /// - Complexity: O(*n*) in the number of groups; O(*n* log *n*) if a group was added or removed.
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
