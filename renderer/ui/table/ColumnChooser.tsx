import { Button, Checkbox, Divider, Popover, SegmentedControl, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import { type Density, useColumnChoice, useDensity } from '../../lib/state/columns.ts'
import type { Column } from './columns.ts'
import { useOverflowColumns } from './useOverflowColumns.ts'

type Props<T> = { readonly table: string; readonly columns: readonly Column<T>[] }

/** Menu for the columns of a table and the height of its rows. */
export function ColumnChooser<T>({ table, columns }: Props<T>) {
  const choice = useColumnChoice(table)
  const overflowColumns = useOverflowColumns(table, columns)
  const [density, setDensity] = useDensity()
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={14} />}>
          {t('common:table.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="md">
        <Stack gap="sm">
          {columns.map(({ key, title, isFixed = false, isOptional = false }) => {
            const isHidden = choice.isHidden(key, isOptional || overflowColumns.has(key))
            const isOverflow = isHidden && !choice.isHidden(key, isOptional)
            return (
              <Checkbox
                key={key}
                size="xs"
                label={title}
                description={isOverflow && t('common:table.too_narrow')}
                disabled={isFixed}
                checked={!isHidden}
                onChange={(event) => choice.toggle(key, !event.currentTarget.checked)}
              />
            )
          })}
          <Divider />
          <SegmentedControl
            size="xs"
            value={density}
            onChange={(value) => setDensity(value as Density)}
            aria-label={t('common:table.density')}
            data={[
              { value: 'comfortable', label: t('common:table.comfortable') },
              { value: 'compact', label: t('common:table.compact') },
            ]}
          />
          <Button variant="subtle" size="compact-xs" onClick={choice.reset}>
            {t('common:table.reset')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
