import { useSessionStorage } from '@mantine/hooks'
import { samplesKey } from '../../../lib/state/samples.ts'
import type { TypedValues } from '../../../shared/models/VariablesForm.tsx'

/**
 * Returns the values typed for a test run, and a setter. They may be confidential, so they are stored in
 * session storage only.
 */
export const useTypedValues = (id: string): readonly [TypedValues, (typed: TypedValues) => void] => {
  const [typed, setTyped] = useSessionStorage<TypedValues>({
    key: samplesKey(id),
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  return [typed, setTyped]
}
