import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { chatPlaceholders } from '../../../../contract/models/chat.ts'
import { type Base, includedNames, namesIn, type RunText, textOf } from '../column/request.ts'
import { versionQuery } from '../playground.queries.ts'
import type { Setup } from '../playground.state.ts'

export type Texts = {
  /** The text in the prompt panel. */
  readonly panel: RunText
  /** The variables of all texts to run, those of the panel first. */
  readonly names: readonly string[]
  /** Returns the first declaration of a variable in these texts. */
  readonly declarationOf: (name: string) => RunText['declared'][number] | undefined
  /** Returns true if the value is a list of messages. */
  readonly isPlaceholder: (name: string) => boolean
}

/** Returns the texts to run: the one in the prompt panel, and the versions that columns select instead. */
export function useTexts(setup: Setup, content: string, base: Base | undefined): Texts {
  const { subject, columns } = setup
  const versions = [...new Set(columns.flatMap(({ version }) => version ?? []))].filter(
    (version) => version !== 'draft',
  )
  const others = useQueries({
    queries: subject === null ? [] : versions.map((version) => versionQuery(subject.id, version)),
    combine: (queries) => queries.flatMap(({ data }) => data ?? []),
  })
  return useMemo(() => {
    const panel = textOf({ ...setup, content }, base ?? null)
    const isPanelRun = columns.some(({ version }) => version === null)
    const all = [
      ...(isPanelRun || others.length === 0 ? [panel] : []),
      ...others.map((version) => ({
        content: version.content ?? '',
        messages: version.messages ?? null,
        declared: version.variables ?? [],
      })),
    ]
    const placeholders = new Set(all.flatMap(({ messages }) => chatPlaceholders(messages ?? [])))
    return {
      panel,
      names: [...new Set([...all.flatMap(namesIn), ...includedNames(panel.base)])],
      declarationOf: (name) =>
        all
          .flatMap(({ declared }) => declared)
          .find((variable) => variable.name === name && variable.declared),
      isPlaceholder: (name) => placeholders.has(name),
    }
  }, [setup, content, base, columns, others])
}
