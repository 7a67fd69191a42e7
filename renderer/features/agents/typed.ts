import { useSessionStorage } from '@mantine/hooks'
import type { Typed } from '../../ui/model/VariablesForm.tsx'

/** Values an agent is tried with. They may be private, so they stay in this tab and go nowhere else. */
export const useTyped = (id: string): readonly [Typed, (typed: Typed) => void] => {
  const [typed, setTyped] = useSessionStorage<Typed>({
    key: `promptdeck.values.agent.${id}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  return [typed, setTyped]
}
