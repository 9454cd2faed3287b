/// The pages that a fetch has so far: a retry continues with the page that failed.
final class PageProgress<Page: Sendable, PageParam: Hashable & Sendable>: FetchProgress {
  let loop: PageLoop<Page, PageParam>
  /// How old the oldest of them is; `nil` is new.
  let age: AnswerAge?

  init(_ loop: PageLoop<Page, PageParam>, age: AnswerAge? = nil) {
    self.loop = loop
    self.age = age
  }

  /// Several pages are fetched one after the other.
  var isKeptForRetry: Bool { loop.isRun }

  /// A single page is kept only when it has arrived.
  var joins: Bool { !loop.isRun }

  func landed(on present: ValueBox?) -> ValueBox? {
    loop.landed(on: present?.value(as: Pages<Page, PageParam>.self)).map(TypedBox.init)
  }
}
