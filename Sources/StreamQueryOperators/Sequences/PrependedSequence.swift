extension AsyncSequence {
  /// Puts elements before the elements of this sequence.
  ///
  /// Use this for a trigger that also fires at the start, or for an input with a first value.
  ///
  /// ```swift
  /// searchText.prepend("").switchToLatest { client.stream(.search($0)) }
  /// ```
  ///
  /// - Finish, failure, cancellation: as this sequence, which is iterated after the first elements. A
  ///   cancelled consumer gets no more elements.
  /// - Buffering: none, and no task.
  ///
  /// - Parameter elements: The first elements, in order.
  /// - Returns: A sequence with the first elements, followed by those of this sequence.
  public func prepend(_ elements: Element...) -> PrependedSequence<Self> {
    PrependedSequence(base: self, elements: elements)
  }
}

/// The sequence of `prepend(_:)`.
public struct PrependedSequence<Base: AsyncSequence>: AsyncSequence {
  /// The element of the base sequence.
  public typealias Element = Base.Element

  /// The failure of the base sequence.
  public typealias Failure = Base.Failure

  let base: Base
  let elements: [Base.Element]

  /// Begins an iteration.
  ///
  /// - Returns: An iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(state: .before(elements[...], base))
  }
}

extension PrependedSequence {
  /// Delivers the first elements, and then the elements of the base sequence.
  public struct Iterator: AsyncIteratorProtocol {
    enum State {
      case before(ArraySlice<Base.Element>, Base)
      case begun(Base.AsyncIterator)
      case ended
    }

    var state: State

    /// Waits for the next element.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The element; `nil` at the end, or when the task is cancelled.
    /// - Throws: The failure of the base sequence.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Base.Failure) -> Base.Element? {
      var iterator: Base.AsyncIterator
      switch state {
      case .ended: return nil
      case .begun(let begun): iterator = begun
      case .before(var rest, let base):
        guard !Task.isCancelled else {
          state = .ended
          return nil
        }
        if let first = rest.popFirst() {
          state = .before(rest, base)
          return first
        }
        iterator = base.makeAsyncIterator()
      }
      // The state is set in advance, so that the sequence is at its end if the base sequence ends or throws.
      state = .ended
      guard let element = try await iterator.next(isolation: actor) else { return nil }
      state = .begun(iterator)
      return element
    }
  }
}

extension PrependedSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

@available(*, unavailable)
extension PrependedSequence.Iterator: Sendable {}
