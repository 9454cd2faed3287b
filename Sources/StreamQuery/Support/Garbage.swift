/// References and values that a change under a lock gave up, to be released after the lock.
///
/// Values, errors and closures belong to users, and so does the code of their `deinit`, which never
/// runs under a lock (contract law 8). The first two references need no allocation: most changes
/// give up no more.
package struct Garbage: Sendable {
  typealias Reference = any AnyObject & Sendable

  private var first: Reference?
  private var second: Reference?
  /// Further references, and values that are no objects; a small value needs no allocation of its own.
  private var rest: [any Sendable] = []

  package init() {}

  /// The number of references and values: for tests.
  var count: Int { (first == nil ? 0 : 1) + (second == nil ? 0 : 1) + rest.count }

  @inline(__always)
  mutating func collect(_ reference: consuming Reference?) {
    // The reference is consumed, so that passing it on does not retain it again.
    guard let reference = consume reference else { return }
    if first == nil {
      first = reference
    } else if second == nil {
      second = reference
    } else {
      rest.append(reference)
    }
  }

  package mutating func collect(value: some Sendable) { rest.append(value) }
}

extension Array {
  /// Takes all elements, and leaves the array empty.
  package mutating func takeAll() -> [Element] {
    defer { self = [] }
    return self
  }
}
