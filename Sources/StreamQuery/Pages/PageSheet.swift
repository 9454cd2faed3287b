/// A page and what it was fetched by, without their types.
///
/// A run holds its pages by such references, so that runs of all types are laid out alike: code that
/// keeps, copies and changes them needs no look at types, which in generic code costs more than the
/// work itself.
// Unchecked because it is not final: its only subclass has immutable `Sendable` properties.
class PageSheet: @unchecked Sendable {}
