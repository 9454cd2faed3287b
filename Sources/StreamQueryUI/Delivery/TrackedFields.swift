internal import Observation

/// Gives `Observation` key paths for the fields of an observed object.
///
/// A key path of a generic type would be made at every access; the key paths of this type are made once.
struct TrackedFields: Observable {
  subscript(field: ResultField) -> Void { () }

  @MainActor private static let keyPaths: [KeyPath<TrackedFields, Void>] =
    ResultField.allCases.map { \TrackedFields[$0] }

  @MainActor static func keyPath(of field: ResultField) -> KeyPath<TrackedFields, Void> {
    keyPaths[Int(field.rawValue)]
  }
}

/// Gives `Observation` key paths for the positions of an observed list.
struct TrackedPositions: Observable {
  subscript(position: Int) -> Void { () }
}

@MainActor
extension ObservationRegistrar {
  func access(position: Int) {
    access(TrackedPositions(), keyPath: \TrackedPositions[position])
  }

  func willChange(positions: [Int]) {
    for position in positions {
      willSet(TrackedPositions(), keyPath: \TrackedPositions[position])
    }
  }

  func didChange(positions: [Int]) {
    for position in positions {
      didSet(TrackedPositions(), keyPath: \TrackedPositions[position])
    }
  }

  func access(_ field: ResultField) {
    access(TrackedFields(), keyPath: TrackedFields.keyPath(of: field))
  }

  func willChange(_ fields: ResultFields) {
    for field in fields { willSet(TrackedFields(), keyPath: TrackedFields.keyPath(of: field)) }
  }

  func didChange(_ fields: ResultFields) {
    for field in fields { didSet(TrackedFields(), keyPath: TrackedFields.keyPath(of: field)) }
  }
}
