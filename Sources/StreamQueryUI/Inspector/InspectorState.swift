#if canImport(SwiftUI)
internal import SwiftUI

/// Shows the state of a key: a sign with a shape and a colour, facts, and how fresh the data is.
struct InspectorState: View {
  let row: RecordReplay.KeyRow
  /// The text of the key; `nil` if the screen shows key and type elsewhere.
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
