import './palette.texts.ts'
import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { useStore } from '../../lib/state/store.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { grouped, type Item, matching } from './items.ts'
import { PaletteList } from './PaletteList.tsx'
import styles from './palette.module.css'
import { addRecent, recent } from './recent.ts'
import { type ShellActions, useActions } from './useActions.tsx'
import { usePages } from './usePages.tsx'
import { useItemFactory, usePaletteSearch } from './usePaletteSearch.tsx'

const reasonOf = (error: unknown): string => asApiError(error)?.message ?? t('common:error.title')

/** Search dialog for everything that has a name, runs, settings and actions. Its code loads on first use. */
export function Palette({ onClose, ...shell }: ShellActions & { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  /** Id of the item selected by the user; null selects the first. */
  const [chosen, setChosen] = useState<string | null>(null)
  /** The text that was entered while its search was running. */
  const [entered, setEntered] = useState<string | null>(null)
  const listId = useId()
  const found = usePaletteSearch(text)
  const items = useItems(text, shell, found)
  const current = items.find((item) => item.id === chosen) ?? items[0]

  const choose = (item: Item): void => {
    // The item already shows why it is not allowed.
    if (typeof item.disabledReason === 'string') return
    addRecent(item.id, item.label)
    // Close first, so that the focus is restored before another dialog opens and stores the focused element.
    flushSync(onClose)
    item.run()
  }
  const isEntered = entered !== null && entered === text && !found.isSearching
  const chooseEntered = useEffectEvent(() => {
    setEntered(null)
    if (current !== undefined) choose(current)
  })
  useEffect(() => {
    if (isEntered) chooseEntered()
  }, [isEntered])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const at = items.findIndex((item) => item.id === current?.id)
      setChosen(items.at((at + step) % items.length)?.id ?? null)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      // The best match may not be loaded yet, so the choice is made when the search is complete.
      if (found.isSearching && chosen === null) setEntered(text)
      else if (current !== undefined) choose(current)
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
        isSearching={found.isSearchingMore}
        failures={found.failures.map(({ resource, error }) =>
          resource === undefined
            ? t('palette:failed_search', { reason: reasonOf(error) })
            : t('palette:failed', { group: t(resource.title), reason: reasonOf(error) }),
        )}
        onPoint={(item) => setChosen(item.id)}
        onChoose={choose}
      />
    </Dialog>
  )
}

type Found = Pick<ReturnType<typeof usePaletteSearch>, 'items' | 'lateItems'>

/** Lowest score at which a recent item is listed first. */
const recentScore = 0.55

/** Returns the recent items, pages and actions; with a text, those that match and what the service found. */
function useItems(text: string, shell: ShellActions, found: Found): readonly Item[] {
  const pages = usePages()
  const actions = useActions(shell)
  const open = useItemFactory()
  const recentItems = useStore(recent)
  const all = [...pages, ...actions]
  const known = [...all, ...found.items]
  const typed = text.trim()
  const recentEntries = recentItems.flatMap(({ id, label }): Item[] => {
    const item = known.find((candidate) => candidate.id === id) ?? open(id, label)
    return item === null ? [] : [{ ...item, group: 'recent' }]
  })
  const listed =
    typed === ''
      ? recentEntries
      : matching(recentEntries, typed).filter(({ score = 0 }) => score >= recentScore)
  const recentIds = new Set(listed.map((item) => item.id))
  const isNew = (item: Item): boolean => !recentIds.has(item.id)
  if (typed === '') return grouped([...listed, ...all.filter(isNew)])
  const first = [...listed, ...matching(all, typed).filter(isNew), ...found.items.filter(isNew)]
  return [...grouped(first), ...grouped(found.lateItems.filter(isNew))]
}
