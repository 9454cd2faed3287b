import StreamQuery
import StreamQueryTesting

// What the samples of the documentation use without saying where it comes from.

let client = QueryClient()
let simulation = Simulation()
let ada = User.ada

enum Spinner { case spinner }
let spinner = Spinner.spinner
func show(_ spinner: Spinner) {}
func show(_ user: User?) {}
func show(_ user: User?, refreshing: Bool) {}
func show(_ error: any Error, keeping user: User?) {}
