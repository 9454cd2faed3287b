import Foundation
import GRDBStore

// What the samples of Integrations/GRDBStore use besides the app.

nonisolated let directory = URL.temporaryDirectory
nonisolated let path = directory.path
