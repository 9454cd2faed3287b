extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Hides the type of this sequence.
  ///
  /// Use this for a property or a parameter that has to name a type, or for a variable to which operators are
  /// applied one after the other.
  ///
  /// ```swift
  /// let names: ErasedSequence<QueryResult<[String]>, Never>
  /// names = client.results(of: .users).select { $0.map(\.name) }.erased()
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence.
  /// - Buffering: none, and no task. Each element costs a call that cannot be inlined.
  ///
  /// - Returns: A sequence of the same elements.
  public func erased() -> ErasedSequence<Element, Failure> {
    ErasedSequence(self)
  }
}

/// A sequence with a type that does not tell which operators made it.
///
/// Operators that start tasks return it, such as debouncing, merging and switching. Chains of them are
/// type-checked quickly, and a property can name the type.
///
/// ```swift
/// let found: ErasedSequence<QueryResult<[Repo]>, Never>
/// found = searchText.debounce(for: .milliseconds(300)).switchToLatest { client.stream(.search($0)) }
/// ```
public struct ErasedSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let base: any AsyncSequence<Element, Failure> & Sendable

  /// Hides the type of a sequence.
  ///
  /// - Parameter base: Any sequence with these types of elements and failures; it may be an existential.
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
  /// Delivers the elements of the hidden sequence.
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
