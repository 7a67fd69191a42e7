import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import styles from './model.module.css'

type Props = { readonly label: string; readonly onClick: () => void }

export const AddRow = ({ label, onClick }: Props) => (
  <Button
    variant="default"
    size="compact-sm"
    className={styles['add'] ?? ''}
    leftSection={<IconPlus size={13} />}
    onClick={onClick}
  >
    {label}
  </Button>
)
