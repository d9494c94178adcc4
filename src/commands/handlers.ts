// The functions of the endpoints that a server answers, by name. A row without a function does not compile.

import type { EndpointName, RemoteName } from '../api/index.js'
import { listAttempts, recordAttempt } from './attempts.js'
import { lintText } from './care.js'
import type { Command } from './command.js'
import { describeContext, forkContext, listContexts, listFamily, makeContext, removeContext } from './contexts.js'
import { listSnapshots, logCycles, readCycle } from './cycles.js'
import { dropDraft, readDraft, saveDraft } from './drafts.js'
import { importConversation } from './import.js'
import { explainNode, planCompaction, readNode, recallResult } from './nodes.js'
import {
  diffSnapshots,
  readExport,
  readPrefix,
  readThread,
  readTokenMap,
  readTokens,
  renderRequest,
  selectNodes,
} from './reads.js'
import { searchNodes } from './search.js'
import { sentRequest } from './sent-request.js'
import { timeline } from './timeline.js'
import { readChanges, readNames, readTree } from './tree.js'
import { commitOperations, previewOperations } from './writes.js'

type Handlers = { readonly [N in RemoteName & EndpointName]: Command<N> }

export const HANDLERS: Handlers = {
  contexts: listContexts,
  create: makeContext,
  summary: describeContext,
  family: listFamily,
  delete: removeContext,
  import: importConversation,
  snapshots: listSnapshots,
  log: logCycles,
  export: readExport,
  thread: readThread,
  node: readNode,
  recall: recallResult,
  compaction: planCompaction,
  explain: explainNode,
  tree: readTree,
  names: readNames,
  cycle: readCycle,
  timeline,
  tokens: readTokens,
  tokenMap: readTokenMap,
  render: renderRequest,
  prefix: readPrefix,
  select: selectNodes,
  search: searchNodes,
  diff: diffSnapshots,
  changes: readChanges,
  preview: previewOperations,
  draft: readDraft,
  saveDraft,
  dropDraft,
  commit: commitOperations,
  fork: forkContext,
  attempts: listAttempts,
  sentRequest,
  recordAttempt,
  lint: async (_pool, input) => lintText(input),
}
