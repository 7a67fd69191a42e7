import { Button, TextInput } from '@mantine/core'
import { IconClipboardText, IconPlus, IconSearch } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import type { Price } from '../../../../contract/models/prices.ts'
import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../shared/editing/useUnsaved.ts'
import { SettingsGroup } from '../SettingsGroup.tsx'
import styles from '../settings.module.css'
import { useSaveSettings } from '../useSaveSettings.ts'
import { PriceForm } from './PriceForm.tsx'
import { PriceImport } from './PriceImport.tsx'
import { PriceTable } from './PriceTable.tsx'
import { differences, keyOf, mergePrices, sorted } from './prices.ts'

/** Number of rows displayed until the user expands the table. */
const shownRows = 40

type Editing = { readonly kind: 'form'; readonly price: Price | null } | { readonly kind: 'import' } | null

/** The unsaved price table, and the open dialog. */
type Unsaved = { readonly draft: readonly Price[] | null; readonly editing: Editing }
const noChanges: Unsaved = { draft: null, editing: null }

/** The prices of models. The whole table is saved at once, so a mistake can be discarded first. */
export function PricesGroup({ settings }: { readonly settings: Settings }) {
  const unsaved = useUnsaved('settings.prices', noChanges)
  const { draft, editing } = unsaved.values
  const [text, setText] = useState('')
  const [isExpanded, setExpanded] = useState(false)
  const setEditing = (next: Editing): void => unsaved.set({ editing: next })
  const title = t('settings:prices.title')
  const saving = useSaveSettings(title, unsaved)
  const saved = useMemo(() => sorted(settings.prices), [settings.prices])
  const prices = draft ?? saved
  const { marks, count } = differences(saved, prices)
  const matchesSearch = ({ provider, model }: Price): boolean =>
    `${provider} ${model}`.toLowerCase().includes(text.trim().toLowerCase())
  const matching = prices.filter(matchesSearch)
  const shown = isExpanded ? matching : matching.slice(0, shownRows)
  const hidden = matching.length - shown.length
  const setDraft = (next: readonly Price[]): void =>
    unsaved.set({ draft: differences(saved, next).count === 0 ? null : next })

  return (
    <SettingsGroup
      id="prices"
      title={title}
      purpose={t('settings:prices.purpose')}
      updated={[settings.updated['prices']]}
      saving={{
        isDirty: draft !== null,
        ...saving.state,
        onSave: () => saving.mutate({ prices: [...prices] }),
      }}
    >
      <div className={styles['bar']}>
        <TextInput
          size="xs"
          className={styles['search'] ?? ''}
          leftSection={<IconSearch size={14} />}
          aria-label={t('settings:prices.search')}
          placeholder={t('settings:prices.search')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // Enter would submit the form of the group; the search needs no submit.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <span className={styles['note']} data-testid="price-count">
          {t('settings:prices.count', { count: prices.length })}
        </span>
        <span className={styles['buttons']}>
          <Button
            variant="default"
            leftSection={<IconClipboardText size={14} />}
            onClick={() => setEditing({ kind: 'import' })}
          >
            {t('settings:prices.import')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setEditing({ kind: 'form', price: null })}
          >
            {t('settings:prices.add')}
          </Button>
        </span>
      </div>
      {shown.length === 0 ? (
        <p className={styles['note']}>
          {t(prices.length === 0 ? 'settings:prices.none' : 'settings:prices.no_match')}
        </p>
      ) : (
        <PriceTable
          prices={shown}
          marks={marks}
          onEdit={(price) => setEditing({ kind: 'form', price })}
          onRemove={(price) => setDraft(prices.filter((other) => keyOf(other) !== keyOf(price)))}
        />
      )}
      {hidden > 0 && (
        <p className={styles['note']}>
          {t('settings:prices.more', { count: hidden })}{' '}
          <Button variant="subtle" size="compact-xs" onClick={() => setExpanded(true)}>
            {t('settings:prices.show_all')}
          </Button>
        </p>
      )}
      {count > 0 && (
        <p className={styles['note']} role="status">
          {t('settings:prices.pending', { count })}
        </p>
      )}
      {editing?.kind === 'form' && (
        <PriceForm
          price={editing.price}
          takenKeys={new Set(prices.map(keyOf))}
          onApply={(price) => {
            const { price: before } = editing
            const others = before === null ? prices : prices.filter((other) => keyOf(other) !== keyOf(before))
            setDraft(mergePrices(others, [price]))
          }}
          onClose={() => setEditing(null)}
        />
      )}
      {editing?.kind === 'import' && (
        <PriceImport
          onApply={(more) => setDraft(mergePrices(prices, more))}
          onClose={() => setEditing(null)}
        />
      )}
    </SettingsGroup>
  )
}
