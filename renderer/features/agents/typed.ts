import { useSessionStorage } from '@mantine/hooks'
import { samplesKey } from '../../lib/samples.ts'
import type { Typed } from '../../ui/model/VariablesForm.tsx'

/** Values an agent is tried with. They may be private, so they stay in this tab and go nowhere else. */
export const useTyped = (id: string): readonly [Typed, (typed: Typed) => void] => {
  const [typed, setTyped] = useSessionStorage<Typed>({
    key: samplesKey(id),
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  return [typed, setTyped]
}
