extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The same sequence, without its making in the type.
  ///
  /// For a property or a parameter that names its type, and for code that applies operators one by one.
  ///
  /// ```swift
  /// let names: ErasedSequence<QueryResult<[String]>, Never>
  /// names = client.results(of: .users).select { $0.map(\.name) }.erased()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. Each element takes a call that is not inlined.
  ///
  /// - Returns: A sequence of the same elements.
  public func erased() -> ErasedSequence<Element, Failure> {
    ErasedSequence(self)
  }
}

/// A sequence that does not show in its type what it was made of.
///
/// Debouncing, merging, switching and the like, which tasks of their own work for, give this type, so that
/// chains of them are type-checked at once, and a property can name it.
///
/// ```swift
/// let found: ErasedSequence<QueryResult<[Repo]>, Never>
/// found = searchText.debounce(for: .milliseconds(300)).switchToLatest { client.stream(.search($0)) }
/// ```
public struct ErasedSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let base: any AsyncSequence<Element, Failure> & Sendable

  /// Takes a sequence for what it gives.
  ///
  /// - Parameter base: Any sequence of such elements and failures, also one whose own type nobody knows.
  public init(_ base: any AsyncSequence<Element, Failure> & Sendable) {
    self.base = base
  }

  /// Begins an iteration.
  ///
  /// - Returns: An iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator())
  }
}

extension ErasedSequence {
  /// Asks what it was made of.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: any AsyncIteratorProtocol<Element, Failure>

    fileprivate init(base: any AsyncIteratorProtocol<Element, Failure>) {
      self.base = base
    }

    /// Waits for the next element.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The element; `nil` at the end.
    /// - Throws: The failure of the sequence.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      try await base.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension ErasedSequence.Iterator: Sendable {}
