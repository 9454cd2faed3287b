/// A row of a table that is used again and again.
protocol ReusableRow {
  /// While the row is free, the row that was freed before it; -1 if there is none.
  ///
  /// It may be stored in place of something that only a row in use needs.
  var nextFree: Int32 { get set }
}
