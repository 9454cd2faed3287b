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
