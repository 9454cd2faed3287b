internal import StreamQuery

/// The errors that a boundary has caught; each source has one at most.
struct BoundaryMachine<Source: Hashable, Action> {
  /// An error, and the action that makes its source try again.
  struct Caught {
    var source: Source
    var error: any Error
    var retry: Action
    /// The objects that have reported it, as far as they are known and still exist.
    fileprivate var reporters: [Reporter] = []
  }

  /// An object that has reported an error.
  ///
  /// The weak reference tells it from a later object at the same address.
  fileprivate struct Reporter {
    weak var object: AnyObject?
  }

  /// The caught errors, in the order in which their sources first failed.
  private(set) var caught: [Caught] = []

  /// A source has failed, for the first time or again.
  mutating func reported(
    _ error: any Error,
    by source: Source,
    from reporter: AnyObject? = nil,
    retry: Action
  ) {
    var new = Caught(source: source, error: error, retry: retry)
    if let reporter { new.reporters = [Reporter(object: reporter)] }
    if let index = caught.firstIndex(where: { $0.source == source }) {
      new.reporters += caught[index].reporters.filter {
        $0.object != nil && $0.object !== reporter
      }
      caught[index] = new
    } else {
      caught.append(new)
    }
  }

  /// A source has recovered.
  ///
  /// - Returns: Whether it had an error.
  mutating func recovered(_ source: Source) -> Bool {
    let count = caught.count
    caught.removeAll { $0.source == source }
    return caught.count < count
  }

  /// An object that has reported the error of a source shows another query by now.
  ///
  /// - Returns: Whether the error was removed, because no other existing object has reported it.
  mutating func left(_ source: Source, by reporter: AnyObject) -> Bool {
    guard let index = caught.firstIndex(where: { $0.source == source }),
      caught[index].reporters.contains(where: { $0.object === reporter })
    else { return false }
    caught[index].reporters.removeAll { $0.object == nil || $0.object === reporter }
    guard caught[index].reporters.isEmpty else { return false }
    caught.remove(at: index)
    return true
  }

  /// Forgets the errors of some sources.
  mutating func removeErrors(_ isForgotten: (Source) -> Bool) {
    caught.removeAll { isForgotten($0.source) }
  }

  /// All sources are to try again.
  ///
  /// - Returns: The actions, in order.
  mutating func reset() -> [Action] {
    defer { caught = [] }
    return caught.map(\.retry)
  }
}
