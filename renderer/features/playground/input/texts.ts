import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { variablesIn } from '../../../../contract/formats/template.ts'
import { type Base, type Text, textOf } from '../column/request.ts'
import { versionQuery } from '../playground.queries.ts'
import type { Setup } from '../playground.state.ts'

export type Texts = {
  readonly left: Text
  /** The variables of all texts to run, those of the left side first. */
  readonly names: readonly string[]
  /** Returns the first declaration of a variable in these texts. */
  readonly declarationOf: (name: string) => Text['declared'][number] | undefined
}

/** Returns the texts to run: the one on the left, and the versions that columns select instead. */
export function useTexts(setup: Setup, content: string, base: Base | undefined): Texts {
  const { subject, columns } = setup
  const versions = [...new Set(columns.flatMap(({ version }) => version ?? []))].filter(
    (one) => one !== 'draft',
  )
  const others = useQueries({
    queries: subject === null ? [] : versions.map((version) => versionQuery(subject.id, version)),
    combine: (queries) => queries.flatMap(({ data }) => data ?? []),
  })
  return useMemo(() => {
    const left = textOf({ ...setup, content }, base ?? null)
    const runsLeft = columns.some(({ version }) => version === null)
    const all = [
      ...(runsLeft || others.length === 0 ? [left] : []),
      ...others.map((one) => ({ content: one.content ?? '', declared: one.variables ?? [] })),
    ]
    return {
      left,
      names: [...new Set(all.flatMap((one) => variablesIn(one.content)))],
      declarationOf: (name) =>
        all.flatMap(({ declared }) => declared).find((one) => one.name === name && one.declared),
    }
  }, [setup, content, base, columns, others])
}
