extension FetchPart {
  /// The page after the last one.
  package static var nextPage: FetchPart { FetchPart(rawValue: 1) }
  /// The page before the first one.
  package static var previousPage: FetchPart { FetchPart(rawValue: 2) }

  /// The page that a fetch in a direction adds.
  init(_ direction: PageDirection) {
    switch direction {
    case .next: self = .nextPage
    case .previous: self = .previousPage
    }
  }

  /// Which page it is; `nil` for the whole value.
  var direction: PageDirection? {
    self == .nextPage ? .next : self == .previousPage ? .previous : nil
  }
}

extension FetchSetting {
  /// How many pages a fetch of all pages fetches.
  static func pages(_ count: Int) -> Self { FetchSetting(rawValue: count) }

  /// How many pages a fetch of all pages fetches.
  var pageCount: Int { rawValue }
}
