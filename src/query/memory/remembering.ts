// A switch for all memos and short cuts. If it is off, every call compiles its text, makes rows of its whole tree and runs the matcher alone.
// That is slow, and the laws compare everything else with it. Only tests turn it off.

export const REMEMBERING: { isOn: boolean } = { isOn: true }
