import { type ReactNode, useMemo } from 'react'
import { compare } from '../../lib/format/diff.ts'
import { DiffPairs } from './DiffPairs.tsx'

export type DiffProps = {
  /** Text or any JSON value; null if there was nothing before. */
  readonly before: unknown
  readonly after: unknown
  readonly empty?: ReactNode
}

/** Compares two values, with changed words marked and unchanged lines collapsed. */
export function DiffView({ before, after, empty }: DiffProps) {
  const pairs = useMemo(() => compare(before, after), [before, after])
  return <DiffPairs pairs={pairs} empty={empty} />
}
