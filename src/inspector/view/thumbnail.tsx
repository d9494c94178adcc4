// A picture of a content, from bytes that the page already has: no request leaves.

import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { size } from '../words/numbers.js'
import { pictureBytes, type Picture } from '../words/pictures.js'

export function Thumbnail({ of }: { of: Picture }): JSX.Element | null {
  const url = useSignal<string | null>(null)
  const shape = useSignal('')
  const bytes = useSignal(0)
  useEffect(() => {
    const read = pictureBytes(of)
    if (read === undefined) return
    const made = URL.createObjectURL(new Blob([read], { type: of.type }))
    bytes.value = read.length
    url.value = made
    return () => URL.revokeObjectURL(made)
  }, [of.base64])
  if (url.value === null) return null
  const measure = ({ naturalWidth, naturalHeight }: HTMLImageElement): void => {
    shape.value = ` · ${naturalWidth} × ${naturalHeight}`
  }
  return (
    <figure class="thumb">
      <img src={url.value} alt={`Picture, ${of.type}`} onLoad={({ currentTarget }) => measure(currentTarget)} />
      <figcaption>
        {of.type}
        {shape.value} · {size(bytes.value)} · base64, {size(of.base64.length)}
      </figcaption>
    </figure>
  )
}
