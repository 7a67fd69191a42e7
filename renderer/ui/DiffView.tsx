import { type ReactNode, useMemo } from 'react'
import { compare } from '../lib/diff.ts'
import { DiffPairs } from './DiffPairs.tsx'

export type DiffProps = {
  /** Text, or anything JSON can hold; null when there was nothing before. */
  readonly before: unknown
  readonly after: unknown
  readonly empty?: ReactNode
}

/** Before and after, with the changed words marked and unchanged stretches folded. */
export function DiffView({ before, after, empty }: DiffProps) {
  const pairs = useMemo(() => compare(before, after), [before, after])
  return <DiffPairs pairs={pairs} empty={empty} />
}
