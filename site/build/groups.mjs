// The sidebar: which page is in which group. Pages are named by their file in the repository. `docs/guides/` is a folder whose files all belong to its
// group, so a new guide needs no line here; any other new page does, and the build and `test/docs/site-pages.test.ts` say so.

/** @typedef {Readonly<{ title: string, pages: readonly string[] }>} Group */

/** Folders whose pages are under one entry of the sidebar, which opens. */
export const FOLDED = new Map([['docs/implementers/decisions/', 'Decisions']])

/** @type {readonly Group[]} */
export const GROUPS = [
  {
    title: 'Start',
    pages: ['README.md', 'docs/README.md', 'docs/install.md', 'site/playground.md', 'docs/agents.md', 'SKILL.md'],
  },
  { title: 'Concepts', pages: ['docs/concepts.md', 'docs/time.md', 'docs/attempts.md', 'docs/editing.md'] },
  {
    title: 'Guides',
    pages: [
      'docs/ten-questions.md',
      'docs/guides/',
      'docs/chats.md',
      'docs/caching.md',
      'docs/compaction.md',
      'docs/cost.md',
      'docs/debugging.md',
      'docs/erasure.md',
      'docs/inspector.md',
      'docs/scaling.md',
      'docs/sharing.md',
      'docs/stores.md',
      'docs/tokens.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/options.md',
      'docs/selectors.md',
      'docs/http.md',
      'docs/cli.md',
      'api/',
      'docs/limits.md',
      'docs/stability.md',
      'CHANGELOG.md',
    ],
  },
  { title: 'Integrations', pages: ['docs/providers.md', 'docs/integrations.md'] },
  {
    title: 'For implementers',
    pages: [
      'docs/architecture.md',
      'docs/implementers/conformance.md',
      'docs/implementers/readings.md',
      'docs/implementers/decisions/',
      'CONTRIBUTING.md',
    ],
  },
]

/**
 * Puts pages into their groups, in the order of the table; a folder stands for its files by name. `lost` are pages in no group.
 * @param {readonly string[]} files
 * @returns {Readonly<{ groups: readonly Group[], lost: readonly string[] }>}
 */
export function grouped(files) {
  const left = new Set(files)
  /** @param {string} entry */
  const take = (entry) => {
    const found = [...left].filter((file) => (entry.endsWith('/') ? file.startsWith(entry) : file === entry)).toSorted()
    for (const file of found) left.delete(file)
    return found
  }
  const groups = GROUPS.map((group) => ({ ...group, pages: group.pages.flatMap(take) }))
  return { groups, lost: [...left] }
}
