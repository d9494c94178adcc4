// Call groups of a snapshot are those of the draft that begins with it: adapters ask the one, pruning the other (D27).

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { editedPrograms, editedRuns, playEdited } from '../../test/support/edited.js'
import { decodeSnapshot } from '../codec/index.js'
import { CallGroups } from './call-groups.js'
import { Draft } from './draft.js'
import { growTimeline } from './from-snapshot.js'
import { eachRecord } from './tree.js'
import { View } from './view.js'

test('are the same over a view and over a draft', () => {
  let tied = 0
  fc.assert(
    fc.property(editedPrograms('1.0', 30), (program) => {
      const { ctx } = playEdited(program)
      if (ctx.snapshots().length === 0) return
      const { timeline } = growTimeline(decodeSnapshot(ctx.export('@t0'), undefined))
      const cycle = timeline.newest!
      const view = View.ofSnapshot(timeline, cycle)
      const [ofView, ofDraft] = [new CallGroups(view), new CallGroups(Draft.after(timeline, cycle))]
      for (const region of view.tree.regions) {
        eachRecord(region, (record) => {
          const members = ofView.of(record).members.map(({ id }) => id)
          expect(members).toEqual(ofDraft.of(record).members.map(({ id }) => id))
          if (members.length > 1) tied++
        })
      }
    }),
    editedRuns(60),
  )
  expect(tied).toBeGreaterThan(0)
})
