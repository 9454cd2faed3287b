/// The typed half of ``PageSheet``.
// Unchecked because its superclass is; its properties are immutable and `Sendable`.
final class TypedSheet<Page: Sendable, PageParam: Sendable>: PageSheet, @unchecked Sendable {
  let page: Page
  let param: PageParam

  init(_ page: Page, param: PageParam) {
    self.page = page
    self.param = param
    super.init()
  }
}
