/// A value that takes its unchanged parts from an older one.
///
/// When a fetch returns a value that differs from the cached one, the equal parts are taken from
/// the cached value: objects stay the same objects, and lists, strings and the like keep their
/// storage, so that comparing them again costs next to nothing. Arrays, dictionaries, optionals and
/// ``Pages`` conform if their contents are `Equatable`. A type of yours is treated as a whole,
/// unless it conforms and says which parts it has:
///
/// ```swift
/// struct Feed: Equatable, Sendable {
///   var title: String
///   var posts: [Repo]
/// }
///
/// extension Feed: StructurallyShared {
///   func reusingUnchanged(from old: Feed) -> Feed {
///     var new = self
///     new.posts = posts.reusingUnchanged(from: old.posts)
///     return new
///   }
/// }
/// ```
///
/// Conformance is checked at run time, so generic code shares just as well. ``SharingPolicy`` says
/// which parts are shared when.
public protocol StructurallyShared: Equatable {
  /// Returns this value, with every unchanged part taken from an older one.
  ///
  /// The method runs outside the cache's lock; it must be pure, and may run several times for one fetch.
  ///
  /// - Parameter old: The previous value.
  /// - Returns: A value that equals this one; the old one if that is equal.
  func reusingUnchanged(from old: Self) -> Self
}

extension StructurallyShared where Self: RangeReplaceableCollection, Element: Equatable {
  /// This list, with equal elements taken from an older one.
  ///
  /// `Identifiable` elements are compared with the old element of the same identity, other elements
  /// with the one at the same position.
  ///
  /// - Parameter old: The previous list.
  /// - Returns: A list that equals this one; the old one if that is equal.
  /// - Complexity: O(*n*) comparisons; if elements hold no references, only as many as there are
  ///   equal elements at the start.
  public func reusingUnchanged(from old: Self) -> Self {
    Sharing.list(old, self)
  }
}

extension Array: StructurallyShared where Element: Equatable {}

extension ContiguousArray: StructurallyShared where Element: Equatable {}

extension Dictionary: StructurallyShared where Value: Equatable {
  /// This dictionary, with equal values taken from an older one.
  ///
  /// - Parameter old: The previous dictionary.
  /// - Returns: A dictionary that equals this one; the old one if that is equal.
  /// - Complexity: O(*n*) look-ups and comparisons.
  public func reusingUnchanged(from old: Self) -> Self {
    guard self != old else { return old }
    guard Sharing.holdsReferences(Value.self) else { return self }
    let sharing = PartSharing<Value>()
    var new = self
    for (key, value) in self {
      if let before = old[key] { new[key] = sharing(before, value).part }
    }
    return new
  }
}

extension Optional: StructurallyShared where Wrapped: StructurallyShared {
  /// This value, with its unchanged parts taken from an older one.
  ///
  /// - Parameter old: The previous value.
  /// - Returns: A value that equals this one; the old one if that is equal.
  public func reusingUnchanged(from old: Self) -> Self {
    guard let value = self, let old else { return self }
    return value.reusingUnchanged(from: old)
  }
}
