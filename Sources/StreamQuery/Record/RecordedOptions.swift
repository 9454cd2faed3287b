/// The options of entries, each with a number; equal options have the same number.
struct RecordedOptions: Sendable {
  private var numbers: [QueryTerms: UInt32] = [:]
  private(set) var terms: [UInt32: QueryTerms] = [:]
  private(set) var last: UInt32 = 0
  /// The options of the last query: in many clients nearly all queries have these options.
  private var newest = QueryTerms(gcTime: .zero)
  private var newestNumber: UInt32 = 0
  /// The number of options above which unused options are removed.
  private var limit = 1_024

  /// Whether there are so many options that some may be unused.
  var isCrowded: Bool { terms.count >= limit }

  /// Returns the number that stands for options.
  mutating func number(of terms: QueryTerms) -> UInt32 {
    if newestNumber != 0, newest == terms { return newestNumber }
    let number: UInt32
    if let known = numbers[terms] {
      number = known
    } else {
      last &+= 1
      numbers[terms] = last
      self.terms[last] = terms
      number = last
    }
    (newest, newestNumber) = (terms, number)
    return number
  }

  /// Keeps only the options that are used.
  mutating func forgetUnused(except used: Set<UInt32>) {
    newestNumber = 0
    terms = terms.filter { used.contains($0.key) }
    numbers = numbers.filter { used.contains($0.value) }
    limit = max(1_024, 2 * terms.count)
  }
}

extension RecordRing {
  /// Returns the number that stands for the options of an entry's new query.
  ///
  /// - Complexity: O(*n*) in rows and keys whenever the number of options has doubled.
  mutating func optionsNumber(of terms: QueryTerms) -> UInt32 {
    if options.isCrowded {
      var used: Set<UInt32> = []
      for row in rows { used.insert(row.state.options) }
      for key in keys {
        used.insert(key.base.options)
        used.insert(key.present.options)
      }
      options.forgetUnused(except: used)
    }
    return options.number(of: terms)
  }

  /// Records that a query with these options took over an entry.
  mutating func adopted(_ slot: Int, _ terms: QueryTerms, at time: Int64) {
    logBegun(at: time)
    guard let place = place(of: slot) else { return }
    let number = optionsNumber(of: terms)
    let former = keys[place].present.options
    guard number != former else { return }
    setOptions(number, of: place)
    // The first query needs no event of its own, because it comes with the entry.
    if former != 0 { logUnfinished(.adopted, place, at: time) }
  }
}
