import { Group, Radio } from '@mantine/core'
import { environments } from '../../../contract/common/environments.ts'
import { EnvBadge } from './EnvBadge.tsx'

type Props = {
  readonly label: string
  /** Props from Mantine's `form.getInputProps`. */
  readonly input: object
}

export function EnvField({ label, input }: Props) {
  return (
    <Radio.Group {...input} label={label}>
      <Group gap="lg" mt="sm">
        {environments.map((env) => (
          <Radio key={env} size="xs" value={env} label={<EnvBadge env={env} />} />
        ))}
      </Group>
    </Radio.Group>
  )
}
