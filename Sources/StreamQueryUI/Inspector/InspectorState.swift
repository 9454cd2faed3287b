#if canImport(SwiftUI)
internal import SwiftUI

/// The state of a key: its sign, by shape and colour, its facts, and how fresh its data is.
struct InspectorState: View {
  let row: RecordReplay.KeyRow
  /// The key; `nil` where it and its type are shown anyway.
  var title: String?

  var body: some View {
    let sign = KeySign(row)
    HStack {
      Image(systemName: sign.symbol)
        .foregroundStyle(sign.tint.color)
        .accessibilityLabel(sign.rawValue)
      VStack(alignment: .leading) {
        if let title { Text(verbatim: title) }
        Text(verbatim: title == nil ? row.facts : row.typedFacts).font(.caption)
        if let freshness = row.freshness {
          ProgressView(value: freshness).accessibilityLabel("Freshness")
        }
      }
    }
  }
}

extension KeySign.Tint {
  fileprivate var color: Color {
    switch self {
    case .blue: .blue
    case .purple: .purple
    case .red: .red
    case .orange: .orange
    case .green: .green
    case .gray: .gray
    }
  }
}
#endif
