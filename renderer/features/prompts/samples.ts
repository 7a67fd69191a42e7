import { useSessionStorage } from '@mantine/hooks'
import { samplesKey } from '../../lib/samples.ts'
import type { Declared } from './editing.ts'

export type Samples = {
  /** As typed, by variable. */
  readonly values: Readonly<Record<string, string>>
  readonly set: (name: string, value: string) => void
}

/** Values to try a prompt with. They may be private, so they stay in this tab and go nowhere. */
export function useSamples(promptId: string): Samples {
  const [values, setValues] = useSessionStorage<Record<string, string>>({
    key: samplesKey(promptId),
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  return {
    values,
    set: (name, value) =>
      setValues((before) => {
        const { [name]: _, ...others } = before
        return value === '' ? others : { ...others, [name]: value }
      }),
  }
}

/** What a sample stands for: JSON where the variable holds JSON, text otherwise. */
export function sampleValue(text: string, type: Declared['type'] | undefined): unknown {
  if (type !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
