import { UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { createPersistedStore, useStore } from '../../../lib/state/store.ts'
import styles from '../playground.module.css'

const isRecord = (value: unknown): value is Record<string, boolean> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((item) => typeof item === 'boolean')
/** The open sections of the prompt panel, by name. */
const openStore = createPersistedStore<Record<string, boolean>>('playground.open', {}, isRecord)

type Props = {
  readonly name: string
  readonly title: string
  readonly count?: number
  readonly isInitiallyClosed?: boolean
  /** True to keep the section open, because it contains an error. */
  readonly isForcedOpen?: boolean
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A collapsible section; its title displays the number of items. */
export function CollapsibleSection({
  name,
  title,
  count,
  isInitiallyClosed = false,
  isForcedOpen = false,
  aside,
  children,
}: Props) {
  const openStates = useStore(openStore)
  const id = useId()
  const isOpen = isForcedOpen || (openStates[name] ?? !isInitiallyClosed)
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <section className={styles['section']}>
      <div className={styles['sectionHead']}>
        <h2 className={styles['sectionTitle']}>
          <UnstyledButton
            className={styles['sectionButton'] ?? ''}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => openStore.set({ ...openStates, [name]: !isOpen })}
          >
            <Icon size={14} />
            {title}
            {count !== undefined && count > 0 && <span className={styles['count']}>{count}</span>}
          </UnstyledButton>
        </h2>
        {isOpen && aside}
      </div>
      <div id={id} hidden={!isOpen} className={styles['sectionBody']}>
        {isOpen && children}
      </div>
    </section>
  )
}
