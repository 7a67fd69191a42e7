import { useSessionStorage } from '@mantine/hooks'
import { samplesKey } from '../../../lib/state/samples.ts'
import type { Typed } from '../../../shared/models/VariablesForm.tsx'

/**
 * Returns the values typed for a test run, and a setter. They may be confidential: only session storage holds
 * them.
 */
export const useTypedValues = (id: string): readonly [Typed, (typed: Typed) => void] => {
  const [typed, setTyped] = useSessionStorage<Typed>({
    key: samplesKey(id),
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  return [typed, setTyped]
}
