import { useEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { groups, type Item } from './items.ts'
import styles from './palette.module.css'

type Props = {
  readonly id: string
  readonly items: readonly Item[]
  readonly current: string | undefined
  readonly isSearching: boolean
  /** Messages about searches that failed. */
  readonly failures: readonly string[]
  readonly onPoint: (item: Item) => void
  readonly onChoose: (item: Item) => void
}

/** Returns the groups of the items, in their order. */
const groupsOf = (items: readonly Item[]) =>
  [...new Set(items.map(({ group }) => group))].flatMap(
    (name) => groups.find((group) => group.name === name) ?? [],
  )

/**
 * The items by group. The focus stays in the field above; `aria-activedescendant` names the selected item.
 */
export function PaletteList({ id, items, current, isSearching, failures, onPoint, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current === undefined) return
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <div>
      <div ref={list} id={id} className={styles['list']} role="listbox" aria-label={t('palette:results')}>
        {groupsOf(items).map(({ name: group, label }) => {
          const groupItems = items.filter((item) => item.group === group)
          const heading = `${id}-${group}`
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a group of options
            <div key={group} role="group" aria-labelledby={heading}>
              <div id={heading} className={styles['heading']} role="presentation">
                {t(label)}
              </div>
              {groupItems.map((item) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is in the field, which moves aria-activedescendant
                // biome-ignore lint/a11y/useFocusableInteractive: as above
                <div
                  key={item.id}
                  id={`${id}-${item.id}`}
                  role="option"
                  aria-selected={item.id === current}
                  aria-disabled={typeof item.disabledReason === 'string' || undefined}
                  className={styles['item']}
                  // A move, not an enter: a pointer at rest must not select an item when the list changes.
                  onPointerMove={() => item.id !== current && onPoint(item)}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => onChoose(item)}
                >
                  {item.icon}
                  <bdi className="truncate">{item.label}</bdi>
                  {(item.disabledReason ?? item.description) && (
                    <bdi className={`truncate ${styles['description']}`} title={item.disabledReason ?? ''}>
                      {item.disabledReason ?? item.description}
                    </bdi>
                  )}
                </div>
              ))}
            </div>
          )
        })}
      </div>
      <div className={styles['state']} role="status">
        {isSearching
          ? t('palette:searching')
          : items.length === 0 && failures.length === 0
            ? `${t('palette:no_results')} ${t('palette:hint')}`
            : items.find((item) => item.id === current)?.disabledReason}
        {failures.map((failure) => (
          <div key={failure} className={styles['failure']}>
            {failure}
          </div>
        ))}
      </div>
    </div>
  )
}
