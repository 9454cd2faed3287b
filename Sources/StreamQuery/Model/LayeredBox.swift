import Synchronization

/// Data as it is shown: what lies below, with the layers of mutations over it.
///
/// Worked out by whoever looks first, outside the lock, and kept: layers are user code, and nothing
/// that the cache decides depends on what they show. So a turn that changes what lies below need
/// not ask them first, and yet nobody can ever see it without its layers.
// Unchecked, as the class above it: all properties are immutable and Sendable.
final class LayeredBox: ValueBox, @unchecked Sendable {
  /// What lies below; `nil` is nothing.
  let base: ValueBox?
  private let layers: [OptimisticLayer]
  private let known = Mutex<Known>(.nothing)

  private enum Known {
    case nothing
    case shown(ValueBox?)
  }

  /// Whether the present code is a layer at work: what it reads is what lies below.
  @TaskLocal static var isAtWork = false

  init(base: ValueBox?, layers: [OptimisticLayer]) {
    self.base = base
    self.layers = layers
    super.init()
  }

  /// What is shown; `nil` is no data.
  ///
  /// Runs user code: never under the lock.
  var shown: ValueBox? {
    // A layer that reads what it is laid over would never come to an end.
    if Self.isAtWork { return base }
    if case .shown(let box) = known.withLock({ $0 }) { return box }
    let box = Self.$isAtWork.withValue(true) {
      layers.reduce(base) { below, layer in layer.change(below) }
    }
    // The first answer holds, so that all who look see the same box.
    return known.withLock { known in
      if case .shown(let box) = known { return box }
      known = .shown(box)
      return box
    }
  }

  /// What a caller gets that asked for a value: a layer that shows none does not take it away.
  override var settled: ValueBox { shown ?? base ?? self }

  override var erased: any Sendable { settled.erased }
}
