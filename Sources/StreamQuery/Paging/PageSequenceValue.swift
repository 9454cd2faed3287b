/// A value that consists of pages; only ``Pages`` conforms to it.
public protocol PageSequenceValue: Sendable {
  /// The type of a page.
  associatedtype Page: Sendable
  /// The type of the parameter that a page is fetched by.
  associatedtype PageParam: Hashable & Sendable

  /// The pages, in order.
  var pages: [Page] { get }
}
