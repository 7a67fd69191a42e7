import {
  IconArrowsSplit2,
  IconBrain,
  IconColumns3,
  IconMessage2Code,
  IconRobot,
  IconWand,
} from '@tabler/icons-react'
import type { StepType } from '../../../../contract/workflows/workflow-step.ts'

const stepIcons = {
  render: IconMessage2Code,
  model: IconBrain,
  transform: IconWand,
  agent: IconRobot,
  condition: IconArrowsSplit2,
  parallel: IconColumns3,
} as const satisfies Record<StepType, unknown>

export function StepIcon({ type, size = 16 }: { readonly type: StepType; readonly size?: number }) {
  const Icon = stepIcons[type]
  return <Icon size={size} stroke={1.75} aria-hidden="true" />
}
