/// What a fetch fetches: the whole value, or a part that a feature adds to it.
///
/// The features that fetch in parts name theirs in extensions; whatever is below them only tells the
/// whole from a part. One byte, because every entry and every snapshot has one.
package struct FetchPart: Equatable, Sendable {
  /// The whole value: whatever was cached is replaced.
  package static var whole: FetchPart { FetchPart(rawValue: 0) }

  let rawValue: UInt8
}
