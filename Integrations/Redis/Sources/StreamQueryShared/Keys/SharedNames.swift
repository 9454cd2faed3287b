internal import Foundation
internal import StreamQuery

/// Makes the store's texts for the keys and marks of a namespace; two namespaces have no text in common.
///
/// All texts are in composed Unicode form (NFC), because a store compares bytes: so equal names and
/// tags have equal bytes.
struct SharedNames: Hashable, Sendable {
  private let prefix: String

  /// Creates the names of a namespace.
  ///
  /// - Parameter namespace: The namespace; its length is part of each text, so that no text of one
  ///   namespace is the beginning of another's.
  init(_ namespace: String) {
    let namespace = Self.composed(namespace)
    prefix = "\(namespace.utf8.count):\(namespace):"
  }

  /// A key with all its marks.
  ///
  /// - Parameters:
  ///   - text: The canonical text of the key, with the type of its value.
  ///   - parts: The canonical text of the key's parts alone.
  ///   - tags: The tags that invalidate the key.
  ///   - form: The name of the values' encoding: each encoding has entries of its own, but the same marks.
  /// - Returns: The key.
  func key(_ text: String, parts: String, tags: [String], form: String) -> SharedKey {
    var marks = [mark(ofKey: text)]
    for beginning in KeyBeginnings.all(of: parts) { marks.append(mark(ofBeginning: beginning)) }
    for tag in Set(tags).sorted() { marks.append(mark(ofTag: tag)) }
    let form = Self.composed(form)
    return SharedKey("\(prefix)e\(form.utf8.count):\(form):\(text)", marks: marks)
  }

  /// The mark of one key, for its entries in all encodings.
  func mark(ofKey text: String) -> SharedMark { SharedMark("\(prefix)k\(text)") }

  /// The mark of an entry's key, which the key's entries in other encodings also have.
  ///
  /// - Parameter text: The text of a ``SharedKey``.
  /// - Returns: The mark; `nil` if the text is not the text of a key.
  static func mark(ofEntry text: String) -> SharedMark? {
    func field(at start: String.Index) -> Range<String.Index>? {
      guard let colon = text.utf8[start...].firstIndex(of: UInt8(ascii: ":")),
        let count = Int(text[start..<colon])
      else { return nil }
      let begin = text.utf8.index(after: colon)
      return text.utf8.index(begin, after: count).map { begin..<$0 }
    }
    guard let namespace = field(at: text.startIndex),
      text.utf8[namespace.upperBound...].starts(with: ":e".utf8)
    else { return nil }
    let kind = text.utf8.index(after: namespace.upperBound)
    guard let form = field(at: text.utf8.index(after: kind)),
      text.utf8[form.upperBound...].first == UInt8(ascii: ":")
    else { return nil }
    let rest = text[text.utf8.index(after: form.upperBound)...]
    return SharedMark("\(text[..<kind])k\(rest)")
  }

  /// The mark of all keys that begin with some parts.
  ///
  /// - Parameter parts: The canonical text of a key that has only these parts.
  /// - Returns: The mark.
  func mark(ofPrefix parts: String) -> SharedMark {
    mark(ofBeginning: parts == "[]" ? "" : String(parts.dropLast()))
  }

  /// The mark of a tag.
  func mark(ofTag tag: String) -> SharedMark { SharedMark("\(prefix)t\(Self.composed(tag))") }

  private static func composed(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
  }

  private func mark(ofBeginning beginning: String) -> SharedMark {
    SharedMark("\(prefix)p\(beginning)")
  }
}
