/// An object that shows no query, but changes in the same job of the main actor as observed queries do, such
/// as an observed mutation.
@MainActor
protocol DeliveryParticipant: AnyObject {
  /// Shows the pending changes of the object.
  ///
  /// - Returns: Whether the object is asked again at the next delivery.
  func look() -> Bool
}

/// The objects that are asked at each delivery, in the order in which they were added; they are not retained.
@MainActor
struct DeliveryParticipants {
  private struct Entry {
    weak var object: (any DeliveryParticipant)?
  }

  private var entries: [Entry] = []
  /// The position of each object in `entries`.
  ///
  /// The object at the position has to be compared, because a new object may have the identifier of a
  /// released one.
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The number of removed objects in `entries`; released ones are not counted.
  private var goneCount = 0

  var isEmpty: Bool { entries.isEmpty }

  /// All objects that still exist.
  var all: [any DeliveryParticipant] {
    mutating get {
      let left = left
      // Released objects are counted here, because no object reports its release.
      if 2 * left.count <= entries.count { removeGone() }
      return left
    }
  }

  private var left: [any DeliveryParticipant] { entries.compactMap(\.object) }

  /// Adds an object, unless it was added already.
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
