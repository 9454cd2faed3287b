import Foundation

/// A plot of how a time grows with the number of entries or consumers, on logarithmic axes.
struct GrowthPlot {
  /// A line of the plot: the prefix of its cases' ids, and its name.
  typealias Line = (prefix: String, name: String)

  /// The lines for the time of an operation in a cache with many entries.
  static let entries: [Line] = [
    ("read.prebuilt.", "cached read"),
    ("read.built.", "cached read, key built"),
    ("fetch.cold.", "cold fetch"),
    ("build.", "make an entry"),
    ("invalidate.", "invalidate 100 matches"),
    ("subscribe.results.", "subscribe (other observers)"),
    ("raw.lookup.", "raw: dictionary under a lock"),
  ]

  /// The lines for the time of a write to many consumers, divided by their number.
  static let consumers: [Line] = [
    ("fanout.stream.", "stream, each consumer"),
    ("fanout.results.", "results, each consumer"),
    ("raw.wake.stream.", "raw: AsyncStream(unfolding:)"),
    ("raw.wake.", "raw: resume a task"),
  ]

  struct Series {
    var name: String
    var points: [(size: Double, nanoseconds: Double)]
  }

  private let series: [Series]
  // At this width, the plot can be read on a phone, too, which shows it at little more than half the size.
  private let width = 600.0
  private let left = 75.0
  private let right = 40.0
  private let top = 20.0
  // The position of the axis. The names of the lines are below the axis, in columns.
  private let base = 340.0
  private let rowHeight = 26.0
  private let columns = 2
  private let axis: String
  /// The powers of ten that the axis begins and ends with.
  private let powers: ClosedRange<Int>

  /// Creates a plot.
  ///
  /// - Parameters:
  ///   - rows: The measured values.
  ///   - lines: The lines to draw.
  ///   - axis: The label of the horizontal axis.
  ///   - powers: The powers of ten that the axis begins and ends with.
  ///   - isPerItem: Whether times are divided by the number on the axis.
  init(_ rows: [Row], _ lines: [Line], axis: String, powers: ClosedRange<Int>, isPerItem: Bool) {
    self.axis = axis
    self.powers = powers
    series = lines.map { prefix, name in
      let points = rows.compactMap { row -> (Double, Double)? in
        // Only a number may follow the prefix: other cases belong to other lines.
        guard row.id.hasPrefix(prefix), let size = Int(row.id.dropFirst(prefix.count)), size > 0
        else { return nil }
        return (Double(size), isPerItem ? row.value / Double(size) : row.value)
      }
      return Series(name: name, points: points)
    }
    .filter { $0.points.count > 1 }
  }

  /// Draws the picture for a light page or a dark one, without a background.
  func svg(isDark: Bool) -> String {
    let colors =
      isDark
      ? ["#74a5ff", "#ff922b", "#69db7c", "#da77f2", "#ff8787", "#3bc9db", "#adb5bd"]
      : ["#2f6fde", "#d9480f", "#2b8a3e", "#862e9c", "#c92a2a", "#0b7285", "#5c5f66"]
    let grid = isDark ? "#444" : "#ddd"
    let rows = (series.count + columns - 1) / columns
    let height = Int(base + 70 + Double(rows) * rowHeight)
    var out = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="\(height)" \
      viewBox="0 0 \(Int(width)) \(height)" font-family="system-ui, sans-serif" font-size="16" \
      fill="\(isDark ? "#f0f0f0" : "#1d1d1f")">

      """
    for power in powers {
      let across = x(pow(10, Double(power)))
      out += line(across, top, across, base, grid)
      out += text(across, base + 24, "\(Int(pow(10, Double(power))))", anchor: "middle")
    }
    for power in 1...5 {
      let height = y(pow(10, Double(power)))
      let labels = ["", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs"]
      out += line(left, height, width - right, height, grid)
      out += text(left - 8, height + 5, labels[power], anchor: "end")
    }
    out += text((left + width - right) / 2, base + 48, axis, anchor: "middle")
    for (index, one) in series.enumerated() {
      let color = colors[index % colors.count]
      let points = one.points.map { format(x($0.size)) + "," + format(y($0.nanoseconds)) }
      out += "<polyline fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\" "
      out += "points=\"\(points.joined(separator: " "))\"/>\n"
      for point in one.points {
        out += "<circle cx=\"\(format(x(point.size)))\" cy=\"\(format(y(point.nanoseconds)))\" "
        out += "r=\"3\" fill=\"\(color)\"/>\n"
      }
      let row = base + 82 + Double(index / columns) * rowHeight
      let column = 20 + Double(index % columns) * (width - 20) / Double(columns)
      out += line(column, row - 5, column + 24, row - 5, color)
      out += text(column + 32, row, one.name, anchor: "start")
    }
    return out + "</svg>\n"
  }

  /// Writes both pictures; the documentation shows the one that fits the page.
  func write(to path: String) throws {
    for (suffix, isDark) in [("", false), ("~dark", true)] {
      try svg(isDark: isDark)
        .write(toFile: "\(path)\(suffix).svg", atomically: true, encoding: .utf8)
    }
  }

  private func x(_ size: Double) -> Double {
    left + (log10(size) - Double(powers.lowerBound)) / Double(powers.count - 1)
      * (width - left - right)
  }

  private func y(_ nanoseconds: Double) -> Double {
    base - (log10(max(10, nanoseconds)) - 1) / 4 * (base - top)
  }

  private func line(
    _ x1: Double,
    _ y1: Double,
    _ x2: Double,
    _ y2: Double,
    _ color: String
  )
    -> String
  {
    "<line x1=\"\(format(x1))\" y1=\"\(format(y1))\" x2=\"\(format(x2))\" y2=\"\(format(y2))\" "
      + "stroke=\"\(color)\"/>\n"
  }

  private func text(_ x: Double, _ y: Double, _ text: String, anchor: String) -> String {
    "<text x=\"\(format(x))\" y=\"\(format(y))\" text-anchor=\"\(anchor)\">\(text)</text>\n"
  }

  private func format(_ value: Double) -> String { String(format: "%.1f", value) }
}
