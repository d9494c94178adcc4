// Requests to Gemini as plain JSON types.

import type { RequestOptions } from '../conversation/adapter.js'
import type { BlocksOptions } from '../conversation/context-blocks.js'
import type { RequestFacts } from '../conversation/request.js'

export type GeminiOptions = RequestOptions &
  BlocksOptions<'user'> &
  Readonly<{
    /** `rest`, the default: the body of the REST call. `sdk`: `{ contents, config }` for the client's generateContent. */
    form?: 'rest' | 'sdk' | undefined
    /**
     * Gemini 3 wants a signature at the first call of each step. Calls that came from elsewhere get the documented stand-in;
     * `all` also gives it to calls of Gemini's own that have lost theirs, `none` to none.
     */
    signatures?: 'foreign' | 'all' | 'none' | undefined
  }>

/** Some part of a content; what it holds depends on its one key. */
// oxlint-disable-next-line typescript/no-explicit-any -- each client names its parts in its own types
export type GeminiPart = any

export type GeminiContent = { role?: 'user' | 'model'; parts: GeminiPart[] }

export type GeminiRequest = { systemInstruction?: GeminiContent; contents: GeminiContent[] } & RequestFacts

export type GeminiSdkRequest = {
  contents: GeminiContent[]
  config?: { systemInstruction?: GeminiContent }
} & RequestFacts
