// The state of the playground in a link: `#from=story&at=c5&q=+rag&node=block:5-2`. JSON of your own travels in it as well, compressed, as long as it is
// small. A fragment never leaves the browser.

export type PlaygroundState = Readonly<{
  /** A sample, if there is no JSON of the user's own. */
  from: string
  /** JSON as the user gave it. */
  json: string | undefined
  /** The cycle in view; undefined for the newest. */
  cycle: number | undefined
  selector: string
  node: string | undefined
}>

/** The number of characters that compressed JSON may have in a link: messengers and issue trackers cut longer ones. */
export const LONGEST_DATA = 16_000
/** The size up to which a link is unpacked. */
const MOST_BYTES = 4_000_000

const FIRST: PlaygroundState = { from: 'story', json: undefined, cycle: undefined, selector: '', node: undefined }

export type Written = Readonly<{
  hash: string
  /** False if the user's JSON is too large for a link. */
  isWhole: boolean
}>

export async function writeState({ from, json, cycle, selector, node }: PlaygroundState): Promise<Written> {
  const data = json === undefined ? undefined : await packed(json)
  const isWhole = data === undefined || data.length <= LONGEST_DATA
  const said = [
    data === undefined ? `from=${encoded(from)}` : isWhole ? `json=${data}` : '',
    cycle === undefined ? '' : `at=c${cycle}`,
    selector === '' ? '' : `q=${encoded(selector)}`,
    node === undefined ? '' : `node=${encoded(node)}`,
  ]
  return { hash: `#${said.filter((each) => each !== '').join('&')}`, isWhole }
}

/** Reads a link. What is missing or cannot be read gets its default. */
export async function readState(hash: string): Promise<PlaygroundState> {
  const said = new Map(
    hash
      .replace(/^#/, '')
      .split('&')
      .map((part) => [part.slice(0, part.indexOf('=')), decoded(part.slice(part.indexOf('=') + 1))]),
  )
  const data = said.get('json')
  const at = /^c([1-9]\d{0,14})$/.exec(said.get('at') ?? '')?.[1]
  return {
    from: said.get('from') ?? FIRST.from,
    json: data === undefined ? undefined : await unpacked(data),
    cycle: at === undefined ? undefined : Number(at),
    selector: said.get('q') ?? '',
    node: said.get('node'),
  }
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

async function unpacked(data: string): Promise<string | undefined> {
  try {
    const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    const text = new TextDecoder()
    let json = ''
    for (const reader = stream.getReader(); ;) {
      const { done, value } = await reader.read()
      if (done) return json + text.decode()
      json += text.decode(value, { stream: true })
      if (json.length > MOST_BYTES) return undefined
    }
  } catch {
    return undefined
  }
}

/** Readable where a fragment allows it. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|40|5B|5D|2C|20)/g, (code) =>
    code === '%20' ? '+' : decodeURIComponent(code),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
