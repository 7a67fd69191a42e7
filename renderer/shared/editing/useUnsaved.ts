import { useState } from 'react'
import { useDraft } from '../../lib/state/useDraft.ts'
import { isSameDraft, preferMine } from './drafts.ts'

/** State of unsaved values that survives an expired session. `initial` is the state with nothing to save. */
export function useUnsaved<V extends Readonly<Record<string, unknown>>>(name: string, initial: V) {
  const restored = useDraft(name, (): V | null => (values === initial ? null : values))
  const [values, setValues] = useState<V>(() => (restored === null ? initial : { ...initial, ...restored }))
  const [isRestored, setRestored] = useState(restored !== null)
  return {
    values,
    isRestored,
    set: (patch: Partial<V>): void => setValues((before) => ({ ...before, ...patch })),
    reset: (): void => {
      setValues(initial)
      setRestored(false)
    },
    /** Removes the values that were saved as `sent`, and keeps what changed after them. */
    removeSaved: (sent: V): void => {
      setValues((typed) => (isSameDraft(sent, typed) ? initial : preferMine(sent, typed, initial)))
      setRestored(false)
    },
  }
}

export type Unsaved<V> = Pick<
  ReturnType<typeof useUnsaved<Readonly<Record<string, unknown>>>>,
  'isRestored' | 'reset'
> & { readonly values: V; readonly removeSaved: (sent: V) => void }
