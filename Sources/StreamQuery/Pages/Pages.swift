/// Which page a fetch adds to an infinite query.
public enum PageDirection: String, Hashable, Codable, Sendable {
  /// The page after the last one.
  case next
  /// The page before the first one.
  case previous
}

/// A run of pages with the parameter that each was fetched by.
///
/// There is always at least one page, and as many parameters as pages.
public struct Pages<Page: Sendable, PageParam: Hashable & Sendable>: Sendable {
  /// The pages, in order.
  public private(set) var pages: [Page]

  /// The parameter of each page.
  public private(set) var params: [PageParam]

  /// The first page.
  public var firstPage: Page { pages[0] }

  /// The last page.
  public var lastPage: Page { pages[pages.count - 1] }

  /// The parameter of the first page.
  public var firstParam: PageParam { params[0] }

  /// The parameter of the last page.
  public var lastParam: PageParam { params[params.count - 1] }

  /// Creates a run of one page.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - param: What it was fetched by.
  public init(_ page: Page, param: PageParam) {
    pages = [page]
    params = [param]
  }

  /// Creates a run of pages, or `nil` of none, or of other than one parameter for each.
  ///
  /// - Parameters:
  ///   - pages: The pages, in order.
  ///   - params: The parameter of each.
  public init?(_ pages: [Page], params: [PageParam]) {
    guard !pages.isEmpty, pages.count == params.count else { return nil }
    self.pages = pages
    self.params = params
  }

  /// Changes every page in place, as a manual update does.
  ///
  /// - Parameter change: Changes a page; gets its parameter.
  public mutating func updateEach(_ change: (inout Page, PageParam) -> Void) {
    for index in pages.indices { change(&pages[index], params[index]) }
  }

  /// The first pages only.
  ///
  /// - Parameter count: How many to keep; at least one is kept.
  /// - Returns: The shorter run.
  public func prefix(_ count: Int) -> Self {
    var copy = self
    let surplus = pages.count - max(1, count)
    if surplus > 0 {
      copy.pages.removeLast(surplus)
      copy.params.removeLast(surplus)
    }
    return copy
  }

  /// Adds a page after the last one; beyond the limit the first ones go.
  mutating func append(_ page: Page, param: PageParam, limit: Int?) {
    pages.append(page)
    params.append(param)
    if let limit, pages.count > limit {
      pages.removeFirst(pages.count - limit)
      params.removeFirst(params.count - limit)
    }
  }

  /// Adds a page before the first one; beyond the limit the last ones go.
  mutating func prepend(_ page: Page, param: PageParam, limit: Int?) {
    pages.insert(page, at: 0)
    params.insert(param, at: 0)
    if let limit, pages.count > limit {
      pages.removeLast(pages.count - limit)
      params.removeLast(params.count - limit)
    }
  }

  mutating func replaceFirst(_ page: Page) {
    pages[0] = page
  }
}

extension Pages: Equatable where Page: Equatable {}
extension Pages: Hashable where Page: Hashable {}

private enum PagesCodingKeys: String, CodingKey {
  case pages
  case params
}

extension Pages: Encodable where Page: Encodable, PageParam: Encodable {
  /// Encodes the pages and their parameters.
  ///
  /// - Parameter encoder: What to encode to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: PagesCodingKeys.self)
    try container.encode(pages, forKey: .pages)
    try container.encode(params, forKey: .params)
  }
}

extension Pages: Decodable where Page: Decodable, PageParam: Decodable {
  /// Decodes a run of pages.
  ///
  /// - Parameter decoder: What to decode from.
  /// - Throws: `DecodingError` if there is no page, or not one parameter for each.
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
