import Foundation

/// Growth from a thousand to a hundred thousand entries, drawn on logarithmic axes.
struct GrowthPlot {
  struct Series {
    var name: String
    var points: [(size: Double, nanoseconds: Double)]
  }

  private let series: [Series]
  private let width = 760.0
  private let height = 420.0
  private let left = 70.0
  private let right = 270.0
  private let top = 30.0
  private let bottom = 50.0
  private let colors = ["#2f6fde", "#d9480f", "#2b8a3e", "#862e9c", "#c92a2a", "#0b7285"]

  init(_ rows: [Row]) {
    let groups = [
      ("read.prebuilt.", "cached read"),
      ("read.built.", "cached read, key built"),
      ("fetch.cold.", "cold fetch"),
      ("invalidate.", "invalidate 100 matches"),
      ("subscribe.results.", "subscribe (other observers)"),
      ("raw.lookup.", "raw: dictionary under a lock"),
    ]
    series = groups.map { prefix, name in
      let points = rows.filter { $0.id.hasPrefix(prefix) && ($0.size ?? 0) > 0 }
        .map { (Double($0.size ?? 1), $0.value) }
      return Series(name: name, points: points)
    }
    .filter { $0.points.count > 1 }
  }

  var svg: String {
    var out = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
      font-family="system-ui, sans-serif" font-size="12">
      <rect width="100%" height="100%" fill="white"/>

      """
    for power in 3...5 {
      let across = x(pow(10, Double(power)))
      out += line(across, top, across, height - bottom, "#ddd")
      out += text(across, height - bottom + 20, "\(Int(pow(10, Double(power))))", anchor: "middle")
    }
    for power in 1...5 {
      let height = y(pow(10, Double(power)))
      let labels = ["", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs"]
      out += line(left, height, width - right, height, "#ddd")
      out += text(left - 8, height + 4, labels[power], anchor: "end")
    }
    out += text((left + width - right) / 2, height - 10, "entries in the cache", anchor: "middle")
    for (index, one) in series.enumerated() {
      let color = colors[index % colors.count]
      let points = one.points.map { format(x($0.size)) + "," + format(y($0.nanoseconds)) }
      out += "<polyline fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\" "
      out += "points=\"\(points.joined(separator: " "))\"/>\n"
      for point in one.points {
        out += "<circle cx=\"\(format(x(point.size)))\" cy=\"\(format(y(point.nanoseconds)))\" "
        out += "r=\"3\" fill=\"\(color)\"/>\n"
      }
      let row = top + 14 + Double(index) * 20
      out += line(width - right + 20, row - 4, width - right + 44, row - 4, color)
      out += text(width - right + 50, row, one.name, anchor: "start")
    }
    return out + "</svg>\n"
  }

  private func x(_ size: Double) -> Double {
    left + (log10(size) - 3) / 2 * (width - left - right)
  }

  private func y(_ nanoseconds: Double) -> Double {
    height - bottom - (log10(max(10, nanoseconds)) - 1) / 4 * (height - top - bottom)
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
