/// A value that is a run of pages; ``Pages`` is the one that is.
public protocol PageSequenceValue: Sendable {
  /// The type of a page.
  associatedtype Page: Sendable
  /// The type of what a page is fetched by.
  associatedtype PageParam: Hashable & Sendable

  /// The pages, in order.
  var pages: [Page] { get }
}
