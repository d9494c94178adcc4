// Sizes read off the headers of images, each made here byte by byte after its format's description.

import { Buffer } from 'node:buffer'

import { describe, expect, test } from 'vitest'

import { imageSize, MOST_SEARCHED } from './image-size.js'

const base64 = (...parts: (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64')

const be32 = (value: number): number[] => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]
const be16 = (value: number): number[] => be32(value).slice(2)
const le16 = (value: number): number[] => be16(value).reverse()
const le24 = (value: number): number[] => be32(value).slice(1).reverse()
const REST = Array<number>(40).fill(7)

const segment = (marker: number, length: number): number[] => [
  0xff,
  marker,
  ...be16(length + 2),
  ...Array<number>(length).fill(9),
]
const frame = (marker: number, width: number, height: number): number[] => [
  0xff,
  marker,
  0,
  17,
  8,
  ...be16(height),
  ...be16(width),
  3,
]

const IMAGES: Readonly<Record<string, readonly [data: string, width: number, height: number]>> = {
  PNG: [base64('\x89PNG\r\n\x1a\n', be32(13), 'IHDR', be32(1280), be32(70_000), REST), 1280, 70_000],
  GIF: [base64('GIF89a', le16(300), le16(200), REST), 300, 200],
  'WebP, lossy': [
    base64('RIFF', REST.slice(36), 'WEBPVP8 ', REST.slice(30), le16(0x4000 | 640), le16(480), REST),
    640,
    480,
  ],
  'WebP, lossless': [
    base64('RIFF', REST.slice(36), 'WEBPVP8L', REST.slice(36), [0x2f], be32((1023 << 14) | 511).reverse(), REST),
    512,
    1024,
  ],
  'WebP, extended': [
    base64('RIFF', REST.slice(36), 'WEBPVP8X', REST.slice(32), le24(1999), le24(999), REST),
    2000,
    1000,
  ],
  JPEG: [base64([0xff, 0xd8], segment(0xe0, 16), frame(0xc0, 1024, 768), REST), 1024, 768],
  'a progressive JPEG with a thumbnail and fill bytes': [
    base64([0xff, 0xd8], segment(0xe1, 20_000), segment(0xc4, 30), [0xff, 0xff], frame(0xc2, 33, 44), REST),
    33,
    44,
  ],
}

describe('the size of an image', () => {
  test.each(Object.entries(IMAGES))('%s', (_name, [data, width, height]) => {
    expect(imageSize(data)).toEqual({ width, height })
    expect(imageSize(data.replaceAll('+', '-').replaceAll('/', '_'))).toEqual({ width, height })
  })

  test.each(Object.entries(IMAGES))('%s, cut off anywhere, has its size or none', (_name, [data, width, height]) => {
    for (let length = 0; length < Math.min(data.length, 200); length++) {
      const size = imageSize(data.slice(0, length))
      expect(size === undefined || (size.width === width && size.height === height)).toBe(true)
    }
  })

  test.each([
    ['no image', base64('%PDF-1.7', REST)],
    ['no base64', 'not base64 at all!'],
    ['nothing', ''],
    ['an empty PNG', base64('\x89PNG\r\n\x1a\n', be32(13), 'IHDR', be32(0), be32(0), REST)],
    [
      'a JPEG whose size does not come',
      base64([0xff, 0xd8], ...Array.from({ length: 20 }, () => segment(0xe1, 65_000)), frame(0xc0, 8, 8)),
    ],
    ['a JPEG that breaks off', base64([0xff, 0xd8], segment(0xe0, 16), REST)],
  ])('%s has none', (_what, data) => {
    expect(imageSize(data)).toBeUndefined()
  })

  test('is looked for no further than that', () => {
    expect(MOST_SEARCHED).toBeLessThan(20 * 65_000)
  })
})
