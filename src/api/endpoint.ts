// A row of the table: a name, an input, an answer, and its route over HTTP if it has one.

import type { InputObject, Schema, Shape, TypeOf } from './schema.js'

export type Method = 'get' | 'post' | 'put' | 'delete'

export type Endpoint = Readonly<{
  /** A `read` answers GET, and POST if operations come with it. */
  method?: Method | 'read'
  /** As Hono has it: `/v1/contexts/:id`. A row without a path is for a terminal only. */
  path?: string
  /** One sentence. */
  about: string
  /** Parameters of the path that are fields under another name. */
  params?: Readonly<Record<string, string>>
  /** All fields, those of the path first. */
  input: Shape
  answer: Schema<unknown>
  /** Changes something; refused in read-only mode. */
  writes?: boolean
  status?: 200 | 201 | 204
  /** The answer follows from the version of the context, so its tag is known before the answer is. */
  isVersioned?: boolean
  /** The function gives the exact bytes of the answer. */
  isBytes?: boolean
  /** The answer is a stream of server-sent events. */
  isStream?: boolean
  /** Fields that a caller over HTTP must give, each with the sentence that says so. */
  needs?: Readonly<Record<string, string>>
  /** Flags of the result that HTTP sends as headers with these names, not in the answer. The client does not read them. */
  headers?: Readonly<Record<string, string>>
}>

export type InputOf<E extends Endpoint> = InputObject<E['input']>
export type AnswerOf<E extends Endpoint> = TypeOf<E['answer']> &
  (E extends Readonly<{ headers: infer H }> ? Readonly<{ [K in keyof H]?: true }> : unknown)
