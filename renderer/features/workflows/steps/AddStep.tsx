import { Button, Menu } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type StepType, stepTypes } from '../../../../contract/workflows/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import { StepIcon } from './StepIcon.tsx'
import styles from './steps.module.css'

type Props = { readonly onAdd: (type: StepType) => void; readonly isFirst: boolean }

/** The button that adds a step, with a menu of the types. */
export function AddStep({ onAdd, isFirst }: Props) {
  return (
    <Menu position="bottom-start" width={300}>
      <Menu.Target>
        <Button
          className={styles['add'] ?? ''}
          variant={isFirst ? 'default' : 'subtle'}
          size="compact-sm"
          leftSection={<IconPlus size={13} />}
        >
          {t('workflows:step.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {stepTypes.map((type) => (
          <Menu.Item key={type} leftSection={<StepIcon type={type} />} onClick={() => onAdd(type)}>
            <div>{t(`workflows:type.${type}`)}</div>
            <div className={styles['hint']}>{t(`workflows:type_help.${type}`)}</div>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
