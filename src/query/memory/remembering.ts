// Whether selectors remember anything, and take short cuts. Off, every call compiles its text, sets up its whole tree and asks
// the matcher alone: slow, and what all the rest is compared with. Only tests turn it off.

export const REMEMBERING: { isOn: boolean } = { isOn: true }
