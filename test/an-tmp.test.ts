import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fromAnthropic, toAnthropic } from '/work/wt-claude/src/adapters/anthropic/index.js'
import { importSnapshot } from '/work/wt-claude/src/index.js'
const all = readdirSync('/work/shared/data').filter(f=>f.endsWith('.jsonl')).flatMap(f=>readFileSync('/work/shared/data/'+f,'utf8').trim().split('\n').map(l=>JSON.parse(l))).filter(o=>o.format==='anthropic')
test.each(all.map(o=>[o.id,o]))('%s', (_id, o:any) => {
  const x = { ...(o.system===undefined?{}:{system:o.system}), messages:o.messages }
  const ctx = fromAnthropic(x)
  expect({ ...toAnthropic(ctx,{repair:false}) }).toEqual(x)
  expect({ ...toAnthropic(importSnapshot(ctx.export('@t0')),{repair:false}) }).toEqual(x)
  const r = toAnthropic(ctx)
  expect(new TextDecoder().decode(r.bytes)).toBe(JSON.stringify(r))
  for (const {start,end} of r.sourceMap) JSON.parse(new TextDecoder().decode(r.bytes.subarray(start,end)))
  if (r.repairs.length===0) expect({...r}).toEqual(x)
  else console.log(_id, r.repairs)
})
