/// An object that does not show a query, but changes in the same job as observed queries do, such
/// as an observed mutation.
@MainActor
protocol DeliveryParticipant: AnyObject {
  /// Shows its pending news.
  ///
  /// - Returns: Whether it wants to look again when others change.
  func look() -> Bool
}

/// The objects that look at deliveries, in the order in which they came; they are not retained.
@MainActor
struct DeliveryParticipants {
  private struct Entry {
    weak var object: (any DeliveryParticipant)?
  }

  private var entries: [Entry] = []
  /// The index of each object.
  ///
  /// If an object was released, another one may get its identifier.
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The number of released objects, as far as it is known.
  private var goneCount = 0

  var isEmpty: Bool { entries.isEmpty }

  /// All that exist.
  var all: [any DeliveryParticipant] {
    mutating get {
      let left = left
      // Nobody reports when an object is released, so released ones are counted here.
      if 2 * left.count <= entries.count { removeGone() }
      return left
    }
  }

  private var left: [any DeliveryParticipant] { entries.compactMap(\.object) }

  /// Adds an object, unless it is there already.
  mutating func add(_ looker: any DeliveryParticipant) {
    let id = ObjectIdentifier(looker)
    if let index = indices[id], entries[index].object === looker { return }
    if entries.count >= 16, entries.count == entries.capacity { removeGone() }
    indices[id] = entries.count
    entries.append(Entry(object: looker))
  }

  mutating func remove(_ looker: any DeliveryParticipant) {
    guard let index = indices[ObjectIdentifier(looker)], entries[index].object === looker
    else { return }
    indices[ObjectIdentifier(looker)] = nil
    entries[index].object = nil
    goneCount += 1
    if 2 * goneCount >= entries.count { removeGone() }
  }

  private mutating func removeGone() {
    let left = left
    entries = []
    indices = [:]
    goneCount = 0
    for looker in left {
      indices[ObjectIdentifier(looker)] = entries.count
      entries.append(Entry(object: looker))
    }
  }
}
