import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Price } from '../../../../contract/models/prices.ts'
import { formatPrice } from '../../../lib/format/localNumber.ts'
import { t } from '../../../lib/i18n.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { SmallTable } from '../../../ui/list/SmallTable.tsx'
import { keyOf } from './prices.ts'

type Props = {
  readonly prices: readonly Price[]
  /** Rows with unsaved changes, by key. */
  readonly marks: ReadonlyMap<string, 'new' | 'changed'>
  readonly onEdit: (price: Price) => void
  readonly onRemove: (price: Price) => void
}

export function PriceTable({ prices, marks, onEdit, onRemove }: Props) {
  return (
    <SmallTable label={t('settings:prices.title')} frameLabel={t('settings:prices.table')} isLimited>
      <thead>
        <tr>
          <th scope="col">{t('settings:prices.provider')}</th>
          <th scope="col">{t('settings:prices.model')}</th>
          <th scope="col">{t('settings:prices.from')}</th>
          <th scope="col" data-number>
            {t('settings:prices.input')}
          </th>
          <th scope="col" data-number>
            {t('settings:prices.output')}
          </th>
          <th scope="col">
            <VisuallyHidden>{t('settings:actions')}</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {prices.map((price) => {
          const mark = marks.get(keyOf(price))
          const labelValues = { model: price.model, from: price.from }
          return (
            <tr key={keyOf(price)}>
              <td>{price.provider}</td>
              <td>
                <span className="mono">{price.model}</span>{' '}
                {mark !== undefined && <Badge tone="accent">{t(`settings:prices.${mark}`)}</Badge>}
              </td>
              <td className="tabular">{price.from}</td>
              <td data-number>{formatPrice(price.input_usd_per_million)}</td>
              <td data-number>{formatPrice(price.output_usd_per_million)}</td>
              <td data-tools>
                <Tool label={t('settings:prices.edit', labelValues)} onClick={() => onEdit(price)}>
                  <IconPencil size={14} />
                </Tool>
                <Tool label={t('settings:prices.remove', labelValues)} onClick={() => onRemove(price)}>
                  <IconTrash size={14} />
                </Tool>
              </td>
            </tr>
          )
        })}
      </tbody>
    </SmallTable>
  )
}

type ToolProps = { readonly label: string; readonly onClick: () => void; readonly children: ReactNode }

function Tool({ label, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={24} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
