/// A run of pages, each with the parameter of its fetch.
///
/// There is always at least one page, and there are as many parameters as pages. Runs share their
/// common parts, so adding the thousandth page costs as little as adding the second.
public struct Pages<Page: Sendable, PageParam: Hashable & Sendable>: Sendable, _FreeOfActors {
  /// The pages with their parameters.
  ///
  /// Only this type makes the boxes, so each is a ``PageBox.Typed`` of the run's own types.
  private var deque: ChunkedDeque<PageBox>
  /// The arrays of ``pages`` and ``params``, made by the first access.
  private var flat = FlatPages()

  private typealias Box = PageBox.Typed<Page, PageParam>

  private func box(_ index: Int) -> PageBox.Typed<Page, PageParam> {
    // The cast is safe: the deque is private, and the boxes in it are made below, with exactly these types.
    unsafeDowncast(deque[index], to: PageBox.Typed<Page, PageParam>.self)
  }

  /// The pages, in order; to change one, write to its position: ``subscript(_:)``.
  ///
  /// - Complexity: O(1) when read again; O(*n*) for the first reader of a run. ``firstPage``,
  ///   ``lastPage`` and ``count`` are always O(1).
  public var pages: [Page] { flat.pages { (0..<count).map { box($0).page } } }

  /// The parameter of each page.
  ///
  /// - Complexity: The same as ``pages``.
  public var params: [PageParam] { flat.params { (0..<count).map { box($0).param } } }

  /// The number of pages.
  public var count: Int { deque.count }

  /// The first page.
  public var firstPage: Page { box(0).page }

  /// The last page.
  public var lastPage: Page { box(count - 1).page }

  /// The parameter of the first page.
  public var firstParam: PageParam { box(0).param }

  /// The parameter of the last page.
  public var lastParam: PageParam { box(count - 1).param }

  /// Creates a run of one page.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - param: The parameter of its fetch.
  public init(_ page: Page, param: PageParam) {
    deque = ChunkedDeque(CollectionOfOne(Box(page, param: param)))
  }

  /// Creates a run of pages, or `nil` if there are no pages or not exactly one parameter for each.
  ///
  /// - Parameters:
  ///   - pages: The pages, in order.
  ///   - params: The parameter of each.
  public init?(_ pages: [Page], params: [PageParam]) {
    guard !pages.isEmpty, pages.count == params.count else { return nil }
    deque = ChunkedDeque(zip(pages, params).map { Box($0, param: $1) as PageBox })
  }

  /// The page at a position, to be read or changed.
  ///
  /// ```swift
  /// client.updateData(for: .feed) { $0?[0].items.append("new") }
  /// ```
  ///
  /// The parameters and the other pages do not change.
  ///
  /// - Parameter index: The position, from 0; it must be less than ``count``.
  /// - Complexity: O(1) to read; a change copies the page, as ``updateEach(_:)`` does.
  public subscript(index: Int) -> Page {
    get { box(index).page }
    set {
      deque[index] = Box(newValue, param: box(index).param)
      changed()
    }
  }

  /// Changes every page in place.
  ///
  /// - Parameter change: Changes a page; receives its parameter.
  /// - Complexity: O(*n*) in the number of pages.
  public mutating func updateEach(_ change: (inout Page, PageParam) -> Void) {
    for index in 0..<count {
      let old = box(index)
      var page = old.page
      change(&page, old.param)
      deque[index] = Box(page, param: old.param)
    }
    changed()
  }

  /// Returns only the first pages.
  ///
  /// - Parameter count: The number of pages to keep; at least one is kept.
  /// - Returns: The shorter run.
  public func prefix(_ count: Int) -> Self {
    var copy = self
    copy.drop(self.count - max(1, count), fromEnd: true)
    copy.changed()
    return copy
  }

  /// The page of a parameter.
  ///
  /// - Parameters:
  ///   - param: The parameter.
  ///   - index: The likely position of the page.
  /// - Returns: The page; `nil` if the parameter has none.
  /// - Complexity: O(1) if the page is at `index`, otherwise O(*n*).
  func page(of param: PageParam, near index: Int) -> Page? {
    if index < count, box(index).param == param { return box(index).page }
    return (0..<count).first { box($0).param == param }.map { box($0).page }
  }

  /// Appends the page of a one-page run; beyond the limit, the first pages are dropped.
  mutating func append(_ other: Self, limit: Int?) {
    deque.append(other.deque[0])
    if let limit { drop(count - limit, fromEnd: false) }
    changed()
  }

  /// Prepends the page of a one-page run; beyond the limit, the last pages are dropped.
  mutating func prepend(_ other: Self, limit: Int?) {
    deque.prepend(other.deque[0])
    if let limit { drop(count - limit, fromEnd: true) }
    changed()
  }

  /// Replaces the first page with the page of a one-page run; the first page's parameter stays.
  mutating func replaceFirst(by other: Self) {
    deque[0] = Box(other.firstPage, param: firstParam)
    changed()
  }

  /// Drops the arrays of the run, because the run has changed; copies of the run keep them.
  private mutating func changed() {
    flat = FlatPages()
  }

  private mutating func drop(_ surplus: Int, fromEnd: Bool) {
    guard surplus > 0 else { return }
    if fromEnd { deque.removeLast(surplus) } else { deque.removeFirst(surplus) }
  }
}

extension Pages: Equatable where Page: Equatable {
  /// Compares pages and parameters.
  ///
  /// - Complexity: O(*n*) comparisons, not counting the pages that both runs share.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    guard lhs.count == rhs.count else { return false }
    return (0..<lhs.count).allSatisfy { index in
      let (one, other) = (lhs.box(index), rhs.box(index))
      return one === other || one.param == other.param && one.page == other.page
    }
  }
}

extension Pages: StructurallyShared where Page: Equatable {
  /// Returns this run with its unchanged pages, and the unchanged parts of changed pages, from an older run.
  ///
  /// A page is compared with the old page that has the same parameter.
  ///
  /// - Parameter old: The previous run.
  /// - Returns: A run that equals this one; the old one if that is equal.
  /// - Complexity: O(*n*) comparisons, not counting the pages that both runs share.
  public func reusingUnchanged(from old: Self) -> Self {
    let sharing = PartSharing<Page>()
    var new = self
    var isOld = count == old.count
    var indices: [PageParam: Int]?
    for index in 0..<count {
      let own = box(index)
      guard let oldIndex = old.index(of: own.param, near: index, &indices) else {
        isOld = false
        continue
      }
      let before = old.box(oldIndex)
      isOld = isOld && oldIndex == index
      guard own !== before else { continue }
      let (page, isSame) = sharing(before.page, own.page)
      isOld = isOld && isSame
      new.deque[index] = isSame ? before : Box(page, param: own.param)
    }
    guard !isOld else { return old }
    new.changed()
    return new
  }

  /// The position of the page with a parameter; usually `index`, the position in the other run.
  private func index(
    of param: PageParam,
    near index: Int,
    _ indices: inout [PageParam: Int]?
  ) -> Int? {
    if index < count, box(index).param == param { return index }
    let known =
      indices ?? Dictionary((0..<count).map { (box($0).param, $0) }) { first, _ in first }
    indices = known
    return known[param]
  }
}

extension Pages: Hashable where Page: Hashable {
  /// Feeds the pages and their parameters.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(params)
    hasher.combine(pages)
  }
}

extension Pages: CustomStringConvertible {
  /// Each parameter with its page.
  public var description: String {
    "[" + zip(params, pages).map { "\($0): \($1)" }.joined(separator: ", ") + "]"
  }
}

private enum PagesCodingKeys: String, CodingKey {
  case pages
  case params
}

extension Pages: Encodable where Page: Encodable, PageParam: Encodable {
  /// Encodes the pages and their parameters.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: PagesCodingKeys.self)
    try container.encode(pages, forKey: .pages)
    try container.encode(params, forKey: .params)
  }
}

extension Pages: Decodable where Page: Decodable, PageParam: Decodable {
  /// Decodes a run of pages.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if there is no page, or not exactly one parameter for each.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: PagesCodingKeys.self)
    let pages = try container.decode([Page].self, forKey: .pages)
    let params = try container.decode([PageParam].self, forKey: .params)
    guard let run = Self(pages, params: params) else {
      throw DecodingError.dataCorruptedError(
        forKey: .params,
        in: container,
        debugDescription: "there must be at least one page, and one parameter for each"
      )
    }
    self = run
  }
}

/// A page and its parameter, without their types.
///
/// A run holds its pages through such references, so that runs of all types have the same layout.
/// Code that keeps, copies and changes them then needs no type metadata, which in generic code
/// costs more than the work itself.
// Unchecked because it is not final: its only subclass has immutable `Sendable` properties.
class PageBox: @unchecked Sendable {
  /// A page with its types.
  // Unchecked because its superclass is; its properties are immutable and `Sendable`.
  final class Typed<Page: Sendable, PageParam: Sendable>: PageBox, @unchecked Sendable {
    let page: Page
    let param: PageParam

    init(_ page: Page, param: PageParam) {
      self.page = page
      self.param = param
      super.init()
    }
  }
}

/// A value that consists of pages; only ``Pages`` conforms to it.
public protocol PageSequenceValue: Sendable {
  /// The type of a page.
  associatedtype Page: Sendable
  /// The type of the parameter of a page.
  associatedtype PageParam: Hashable & Sendable

  /// The pages, in order.
  var pages: [Page] { get }
}

extension Pages: PageSequenceValue {}

extension QueryResult where Value: PageSequenceValue {
  /// The pages; an empty array if there is no data.
  public var pages: [Value.Page] { data?.pages ?? [] }

  /// Whether there is a page after the last cached one, by `nextPageParam`.
  ///
  /// For a selection, this refers to the pages from which the selection was made.
  public var hasNextPage: Bool {
    snapshot.source.map { snapshot.paging?.hasNextPage($0) ?? false } ?? false
  }

  /// Whether there is a page before the first cached one, by `previousPageParam`.
  ///
  /// For a selection, this refers to the pages from which the selection was made.
  public var hasPreviousPage: Bool {
    snapshot.source.map { snapshot.paging?.hasPreviousPage($0) ?? false } ?? false
  }

  /// Whether the page after the last one is being fetched.
  public var isFetchingNextPage: Bool { isFetching && snapshot.part == .nextPage }

  /// Whether the page before the first one is being fetched.
  public var isFetchingPreviousPage: Bool { isFetching && snapshot.part == .previousPage }

  /// Whether there is an error, and the running or last fetch is of the page after the last one.
  public var isFetchNextPageError: Bool { isError && snapshot.part == .nextPage }

  /// Whether there is an error, and the running or last fetch is of the page before the first one.
  public var isFetchPreviousPageError: Bool { isError && snapshot.part == .previousPage }
}
