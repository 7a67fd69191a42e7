import { useSampleValues } from '../../../lib/state/samples.ts'
import type { Declared } from './editing.ts'

export type Samples = {
  /** Values as typed, by variable. */
  readonly values: Readonly<Record<string, string>>
  readonly set: (name: string, value: string) => void
}

export function useSamples(promptId: string): Samples {
  const [values, setValues] = useSampleValues<Record<string, string>>(promptId, {})
  return {
    values,
    set: (name, value) =>
      setValues((before) => {
        const { [name]: _, ...others } = before
        return value === '' ? others : { ...others, [name]: value }
      }),
  }
}

/**
 * Returns the sample parsed as JSON if the variable has that type and the text is valid; otherwise the text.
 */
export function sampleValue(text: string, type: Declared['type'] | undefined): unknown {
  if (type !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
