// Texts that are easily misunderstood, and texts that are not.

import { describe, expect, test } from 'vitest'

import { readSelector } from '../parse/selector.js'
import { findTraps } from './traps.js'

describe('the traps', () => {
  test.each([
    ['^seq .seg > .cont > .block', true],
    [".block[role='user'][data_x=1][content.command~'ls']", true],
    ['d1 .block+audit', true],
    ['.user', false],
    ['.x:call', false],
    ['.block:not', false],
    ['.block[rol=user]', false],
    ['.blok', false],
    ['.blocklist', true],
    ["[kind='call'][role=user]", true],
    ["[kind='functionCall']", false],
    ["[kind!='tool_use']", true],
    ["d1..d3 [role='user']", false],
    ['^ah +audit', false],
    ['.seg[content.x=1]', false],
    ['( .user )', false],
  ])('of %s are none: %s', (text, isClear) => {
    const tree = readSelector(text, { bound: true })
    expect(findTraps(tree, text).length === 0).toBe(isClear)
  })
})
