import Synchronization

/// Data as observers see it: the cached data with the changes of mutations applied.
///
/// The first reader computes the data outside the lock, and the result is kept. Layers run user code, and no
/// decision of the cache depends on them. So a transaction that changes the base need not run its layers, and
/// still nobody sees the base without them.
// Unchecked, like its superclass: all properties are immutable and Sendable.
final class LayeredBox: ValueBox, @unchecked Sendable {
  /// The data without the changes; `nil` if there is none.
  let base: ValueBox?
  private let layers: [OptimisticLayer]
  private let known = Mutex<Known>(.nothing)

  private enum Known {
    case nothing
    case shown(ValueBox?)
  }

  /// Whether the current code is the closure of a layer, which then sees the base when it reads the
  /// data.
  @TaskLocal static var isAtWork = false

  init(base: ValueBox?, layers: [OptimisticLayer]) {
    self.base = base
    self.layers = layers
    super.init()
  }

  /// The data that observers see; `nil` is no data.
  ///
  /// This runs user code, so do not call it under the lock.
  var shown: ValueBox? {
    // If a layer's closure read the data with its own change, it would call itself without end.
    if Self.isAtWork { return base }
    if case .shown(let box) = known.withLock({ $0 }) { return box }
    let box = Self.$isAtWork.withValue(true) {
      layers.reduce(base) { below, layer in layer.applied(to: below) }
    }
    // The first answer wins, so that all readers see the same box.
    return known.withLock { known in
      if case .shown(let box) = known { return box }
      known = .shown(box)
      return box
    }
  }

  /// The data that a caller gets: the base if the layers show no data.
  override var settled: ValueBox { shown ?? base ?? self }

  override var erased: any Sendable { settled.erased }
}
