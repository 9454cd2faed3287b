import Testing

@testable import StreamQuery

/// What the kernel's account of memory pressure means.
struct PressureReadingTests {
  private func text(_ some: String, _ full: String) -> String {
    """
    some avg10=\(some) avg60=0.87 avg300=0.29 total=5410862
    full avg10=\(full) avg60=0.31 avg300=0.11 total=1958012

    """
  }

  @Test("the averages of the last ten seconds count")
  func sample() throws {
    let reading = try #require(PressureReading(text("12.53", "0.40")))
    expectEqual(reading, PressureReading(some: 12.53, full: 0.4))
  }

  @Test(
    "a tenth of the time is a warning if some wait, and critical if all do",
    arguments: [
      ("0.00", "0.00", MemoryPressure.Level.normal), ("9.99", "9.99", .normal),
      ("10.00", "0.00", .warning), ("100.00", "9.99", .warning), ("40.00", "10.00", .critical),
    ]
  )
  func levels(some: String, full: String, level: MemoryPressure.Level) {
    expectEqual(PressureReading(text(some, full))?.level, level)
  }

  @Test("old kernels have no account of all tasks")
  func someOnly() {
    expectEqual(PressureReading("some avg10=50.00 avg60=0.00 avg300=0.00 total=0")?.level, .warning)
  }

  @Test(
    "anything else means nothing",
    arguments: [
      "", "\n", "full avg10=99.00", "some", "some avg10=", "some avg10=a lot", "some avg10=nan",
      "some avg10=-3", "some avg10=1e9", "some avg60=99.00", "\u{0}\u{1}",
    ]
  )
  func garbage(text: String) {
    expectNil(PressureReading(text))
  }

  @Test("the account of the control group comes before that of the system")
  func paths() {
    let system = "/proc/pressure/memory"
    expectEqual(PressureReading.paths(of: nil), [system])
    expectEqual(PressureReading.paths(of: ""), [system])
    expectEqual(PressureReading.paths(of: "0::/\n"), ["/sys/fs/cgroup/memory.pressure", system])
    expectEqual(
      PressureReading.paths(of: "1:name=systemd:/a\n0::/app.slice/web.service\n"),
      ["/sys/fs/cgroup/app.slice/web.service/memory.pressure", system]
    )
    expectEqual(PressureReading.paths(of: "4:memory:/docker/1\n"), [system])
  }
}
