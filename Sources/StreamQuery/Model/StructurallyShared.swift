/// A value that takes its unchanged parts from an older one.
///
/// When a fetch brings a value that differs from the cached one, the parts that are equal come from
/// the cached value: objects stay the same objects, and lists, texts and the like keep their storage,
/// so that comparing them again costs next to nothing. Arrays, dictionaries, optionals and ``Pages``
/// conform where what they hold is `Equatable`. A type of yours is taken as a whole, unless it conforms
/// and says which parts it has:
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
/// Whether a type conforms is found out at run time, so generic code shares the same. ``SharingPolicy``
/// says what is shared when.
public protocol StructurallyShared: Equatable {
  /// This value, with every part that did not change taken from an older one.
  ///
  /// Runs outside the cache's lock; must be pure, and may run several times for one fetch.
  ///
  /// - Parameter old: The value before.
  /// - Returns: A value that equals this one; the old one if that does.
  func reusingUnchanged(from old: Self) -> Self
}

extension StructurallyShared where Self: RangeReplaceableCollection, Element: Equatable {
  /// This list, with equal elements taken from an older one.
  ///
  /// Elements are compared with the old one of the same identity if they are `Identifiable`, else with
  /// the one at the same position.
  ///
  /// - Parameter old: The list before.
  /// - Returns: A list that equals this one; the old one if that does.
  /// - Complexity: O(*n*) comparisons, or as many as there are equal elements at the start where
  ///   elements hold no references.
  public func reusingUnchanged(from old: Self) -> Self {
    Sharing.list(old, self)
  }
}

extension Array: StructurallyShared where Element: Equatable {}

extension ContiguousArray: StructurallyShared where Element: Equatable {}

extension Dictionary: StructurallyShared where Value: Equatable {
  /// This dictionary, with equal values taken from an older one.
  ///
  /// - Parameter old: The dictionary before.
  /// - Returns: A dictionary that equals this one; the old one if that does.
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
  /// - Parameter old: The value before.
  /// - Returns: A value that equals this one; the old one if that does.
  public func reusingUnchanged(from old: Self) -> Self {
    guard let value = self, let old else { return self }
    return value.reusingUnchanged(from: old)
  }
}
