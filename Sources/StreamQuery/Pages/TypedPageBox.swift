/// The typed half of ``PageBox``.
// Unchecked because its superclass is; its properties are immutable and `Sendable`.
final class TypedPageBox<Page: Sendable, PageParam: Sendable>: PageBox, @unchecked Sendable {
  let page: Page
  let param: PageParam

  init(_ page: Page, param: PageParam) {
    self.page = page
    self.param = param
    super.init()
  }
}
