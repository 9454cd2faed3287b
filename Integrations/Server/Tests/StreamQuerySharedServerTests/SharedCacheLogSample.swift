import InMemoryLogging
import Logging
import StreamQuerySharedServer

/// A log to a handler, as a program makes one.
enum SharedCacheLogSample {
  static func log(to handler: InMemoryLogHandler) -> SharedCacheLog {
    var logger = Logger(label: "shared") { _ in handler }
    logger.logLevel = .trace
    return SharedCacheLog(logger)
  }
}
