// The inputs and answers of the table, by names.

import type { TypeOf } from './schema.js'
import type { Answer, Input } from './request.js'
import type { DETAILED_DIFF } from './answers.js'

export type { AttemptRecord, Dialect, JsonObject, JsonValue, Lens } from '../core/index.js'
export type { Breakpoint } from '../thread/index.js'
export type { DiffOptions, SelectOptions } from '../context/index.js'
export type { Operation } from '../edit/index.js'
export type { FormatName, ImportFormat, RenderedFormat } from '../formats/index.js'

/** Edits that a read applies before it reads, and the cycle that they build on. */
export type Reading = Pick<Input<'thread'>, 'base' | 'operations'>
/** A page of a list. */
export type PageInput = Input<'contexts'>

export type ContextList = Answer<'contexts'>
export type ContextSummary = Answer<'summary'>
export type Imported = Answer<'import'>
export type CycleLine = Answer<'log'>['cycles'][number]
export type Timeline = Answer<'timeline'>
export type Column = Timeline['columns'][number]
export type Send = Column['sends'][number]
export type Figures = NonNullable<Send['figures']>
export type Bin = NonNullable<Timeline['bins']>[number]
export type CauseCounts = Figures['causes']
export type CycleAnswer = Answer<'cycle'>
export type Receipt = CycleAnswer['receipt']
export type Tree = Answer<'tree'>
export type TreeRow = Tree['rows'][number]
export type Changes = Answer<'changes'>
export type ChangeRow = Changes['rows'][number]
export type NodeAnswer = Answer<'node'>
export type Life = NodeAnswer['life']
export type Names = Answer<'names'>
export type NameCount = Names['keys'][number]
export type Selected = Answer<'select'>
export type DiffAnswer = Answer<'diff'>
export type DetailedDiffAnswer = TypeOf<typeof DETAILED_DIFF>
export type PlainDiffAnswer = Exclude<DiffAnswer, DetailedDiffAnswer>
export type Rendered = Answer<'render'>
export type PrefixAnswer = Answer<'prefix'>
export type Committed = Answer<'commit'>
export type LintAnswer = Answer<'lint'>
export type WatchedEvent = Answer<'watch'>
export type Difference = Answer<'replay'>['differences'][number]
