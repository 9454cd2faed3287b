/// The sequence behind `combineLatest`.
///
/// The iterator has the newest element of each sequence, and receives updates. An update is a closure that
/// the iterator runs to store an element, so that no element is cast from an erased value. Updates come
/// through a merge, with a task for each sequence. Results of one client need no task, and have one update
/// for each transaction of its cache.
struct CombineLatestSequence<Combined: Sendable, Failure: Error>: AsyncSequence, Sendable {
  typealias Element = Combined
  typealias Part = CombinedPart<Failure>
  typealias Update = @Sendable () -> Void

  /// Makes the parts of an iterator, and a closure that returns the combination of their newest elements;
  /// `nil` while a part has none.
  private let begin: @Sendable () -> (parts: [Part], combined: () -> Combined?)

  private init(begin: @escaping @Sendable () -> (parts: [Part], combined: () -> Combined?)) {
    self.begin = begin
  }

  /// Combines the newest elements of parts into tuples.
  static func combining<each Value: Sendable>(
    _ parts: repeat @escaping @Sendable (LatestValue<each Value>) -> Part
  ) -> ErasedSequence<Combined, Failure> where Combined == (repeat each Value) {
    let sequence = Self {
      let latest = (repeat LatestValue<each Value>())
      var made: [Part] = []
      for (part, value) in repeat (each parts, each latest) {
        made.append(part(value))
      }
      return (made, { try? (repeat (each latest).get()) })
    }
    return ErasedSequence(sequence)
  }

  /// Combines the newest elements of sequences into arrays.
  static func combining<Base: AsyncSequence & Sendable>(
    _ sequences: [Base]
  ) -> ErasedSequence<Combined, Failure>
  where Combined == [Base.Element], Failure == Base.Failure {
    let sequence = Self {
      let latest = sequences.map { _ in LatestValue<Base.Element>() }
      let parts = zip(sequences, latest).map { Part($0, latest: $1, failure: { $0 }) }
      return (parts, { try? latest.map { try $0.get() } })
    }
    return ErasedSequence(sequence)
  }

  func makeAsyncIterator() -> Iterator {
    let (parts, combined) = begin()
    return Iterator(updates: updates(of: parts), combined: combined)
  }

  private func updates(of parts: [Part]) -> any AsyncIteratorProtocol<Update, Failure> {
    var sources = parts.map(\.source)
    let observing = parts.compactMap(\.observe)
    if observing.count == parts.count {
      let observers = observing.map { $0() }
      if let joint = JointUpdates(observers) { return joint }
      sources = observers.map(\.source)
    }
    let machine = MergeMachine(count: sources.count, ending: .whenOneIsEmpty)
    let definition = Part.Definition(machine: machine, sources: sources)
    return OperatorSequence(definition).makeAsyncIterator()
  }
}

extension CombineLatestSequence {
  struct Iterator: AsyncIteratorProtocol {
    private var updates: any AsyncIteratorProtocol<Update, Failure>
    private let combined: () -> Combined?
    /// The combination for an empty list of sequences, until it is delivered; `nil` if there are sequences.
    private var empty: Combined?

    init(
      updates: any AsyncIteratorProtocol<Update, Failure>,
      combined: @escaping () -> Combined?
    ) {
      self.updates = updates
      self.combined = combined
      empty = combined()
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Combined? {
      if let empty = empty.take(), !Task.isCancelled { return empty }
      while let update = try await updates.next(isolation: actor) {
        update()
        if let combined = combined() { return combined }
      }
      return nil
    }
  }
}
