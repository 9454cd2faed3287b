internal import StreamQuery

/// The errors that a boundary has caught, at most one for each source.
struct BoundaryMachine<Source: Hashable, Action> {
  /// A caught error, and the action that makes its source try again.
  struct Caught {
    var source: Source
    var error: any Error
    var retry: Action
    /// The objects that have reported the error, perhaps with some that were released since.
    fileprivate var reporters: [Reporter] = []
  }

  /// An object that has reported an error.
  ///
  /// The reference is weak, so that a later object at the same address is not mistaken for it.
  fileprivate struct Reporter {
    weak var object: AnyObject?
  }

  /// The caught errors, in the order in which their sources first failed.
  private(set) var caught: [Caught] = []
  /// The sources that try again, with the objects that had reported their errors.
  private var tries: [Source: [Reporter]] = [:]

  /// Adds the error of a source, or replaces its former error.
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

  /// The objects that have reported the error of a source.
  func reporters(of source: Source) -> [AnyObject] {
    caught.first(where: { $0.source == source })?.reporters.compactMap(\.object) ?? []
  }

  /// Removes the error of a source that has recovered.
  ///
  /// - Returns: Whether the source had an error.
  mutating func recovered(_ source: Source) -> Bool {
    let count = caught.count
    caught.removeAll { $0.source == source }
    return caught.count < count
  }

  /// Removes a source's error, because the object that has reported the error shows another query by now.
  ///
  /// - Returns: Whether the error was removed; it stays if another existing object has reported it.
  mutating func left(_ source: Source, by reporter: AnyObject) -> Bool {
    guard let index = caught.firstIndex(where: { $0.source == source }),
      caught[index].reporters.contains(where: { $0.object === reporter })
    else { return false }
    caught[index].reporters.removeAll { $0.object == nil || $0.object === reporter }
    guard caught[index].reporters.isEmpty else { return false }
    caught.remove(at: index)
    return true
  }

  /// Removes the errors of the sources that satisfy a condition.
  mutating func removeErrors(_ isForgotten: (Source) -> Bool) {
    caught.removeAll { isForgotten($0.source) }
  }

  /// Removes all errors, so that their sources try again.
  ///
  /// - Returns: The sources and the actions that make them try again, in order.
  mutating func triesAgain() -> [(source: Source, retry: Action)] {
    defer { caught = [] }
    for error in caught { tries[error.source, default: []] += error.reporters }
    return caught.map { ($0.source, $0.retry) }
  }

  /// Notes that the try of a source has ended.
  ///
  /// - Returns: The objects to ask whether they still show the error: those that had reported it before the
  ///   try. There are none if the source has an error again.
  mutating func triedAgain(_ source: Source) -> [AnyObject] {
    let reporters = tries.removeValue(forKey: source) ?? []
    guard !caught.contains(where: { $0.source == source }) else { return [] }
    return reporters.compactMap(\.object)
  }
}
