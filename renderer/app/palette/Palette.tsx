import './palette.texts.ts'
import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { useStore } from '../../lib/state/store.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { groups, type Item, matches } from './items.ts'
import { PaletteList } from './PaletteList.tsx'
import styles from './palette.module.css'
import { addRecent, recent } from './recent.ts'
import { type ShellActions, useActions } from './useActions.tsx'
import { usePages } from './usePages.tsx'
import { useItemFactory, usePaletteSearch } from './usePaletteSearch.tsx'

/** Search dialog for pages, people, workspaces, clients, runs and actions. Its code loads on first use. */
export function Palette({ onClose, ...shell }: ShellActions & { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  /** Id of the item selected by the user; null selects the first. */
  const [chosen, setChosen] = useState<string | null>(null)
  const listId = useId()
  const found = usePaletteSearch(text)
  const items = useItems(text, shell, found.items)
  const current = items.find((item) => item.id === chosen) ?? items[0]

  const choose = (item: Item): void => {
    // The item already shows why it is not allowed.
    if (typeof item.disabledReason === 'string') return
    addRecent(item.id, item.label)
    // Close first, so that the focus is restored before another dialog opens and stores the focused element.
    flushSync(onClose)
    item.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const at = items.findIndex((item) => item.id === current?.id)
      setChosen(items.at((at + step) % items.length)?.id ?? null)
    }
    if (event.key === 'Enter' && current !== undefined) {
      event.preventDefault()
      choose(current)
    }
  }

  return (
    <Dialog
      onClose={onClose}
      withCloseButton={false}
      // Keeps the top in place while the list grows and shrinks.
      centered={false}
      yOffset={80}
      size={560}
      padding={0}
      attributes={{ content: { 'aria-label': t('palette:label') } }}
    >
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={styles['search'] ?? ''}
        leftSection={<IconSearch size={16} />}
        placeholder={t('palette:placeholder')}
        aria-label={t('palette:label')}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(null)
        }}
        onKeyDown={onKeyDown}
      />
      <PaletteList
        id={listId}
        items={items}
        current={current?.id}
        isSearching={found.isSearching}
        failures={found.failures.map(({ resource, error }) =>
          t('palette:failed', {
            group: t(resource.title),
            reason: asApiError(error)?.message ?? t('common:error.title'),
          }),
        )}
        onPoint={(item) => setChosen(item.id)}
        onChoose={choose}
      />
    </Dialog>
  )
}

/** Returns the recent items, pages and actions; with a text, those that match and what the service found. */
function useItems(text: string, shell: ShellActions, found: readonly Item[]): readonly Item[] {
  const pages = usePages()
  const actions = useActions(shell)
  const open = useItemFactory()
  const recentItems = useStore(recent)
  const all = [...pages, ...actions]
  if (text.trim() !== '') return [...all.filter((item) => matches(item, text)), ...found].toSorted(byGroup)
  const recentEntries = recentItems.flatMap(({ id, label }): Item[] => {
    const item = all.find((candidate) => candidate.id === id) ?? open(id, label)
    return item === null ? [] : [{ ...item, group: 'recent' }]
  })
  const recentIds = new Set(recentEntries.map((item) => item.id))
  return [...recentEntries, ...all.filter((item) => !recentIds.has(item.id))].toSorted(byGroup)
}

const groupIndexOf = (item: Item): number => groups.findIndex(({ name }) => name === item.group)
const byGroup = (a: Item, b: Item): number => groupIndexOf(a) - groupIndexOf(b)
