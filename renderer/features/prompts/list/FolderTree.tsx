import { Select } from '@mantine/core'
import { IconChevronDown, IconChevronRight, IconFolder, IconStack2, IconTrash } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import type { PromptFacets } from '../../../../contract/prompts/prompt-list.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './FolderTree.module.css'
import { ancestorsOf, noFolder, visibleFolders } from './folders.ts'

type Choice = { readonly folder?: string | undefined; readonly view?: 'trash' | undefined }

type Props = {
  readonly facets: PromptFacets | undefined
  readonly chosen: Choice
  readonly onChoose: (choice: Choice) => void
}

type Line = {
  readonly id: string
  readonly label: string
  readonly icon: ReactNode
  /** Undefined until loaded. */
  readonly count: number | undefined
  readonly level: number
  readonly isOpen?: boolean | undefined
  readonly choice: Choice
}

const all = 'all'
const trash = 'trash'
const lineOf = ({ folder, view }: Choice): string =>
  view === 'trash' ? trash : folder === undefined ? all : `folder:${folder}`

/** Returns a label such as `team/sales (12)`; without the number until it is loaded. */
function labelOf({ choice: { folder }, label, count }: Line): string {
  const name = folder === undefined || folder === noFolder ? label : folder
  return count === undefined ? name : `${name} (${formatNumber(count)})`
}

/** The tree of folders, with entries for all prompts, no folder and the trash. A select in narrow windows. */
export function FolderTree({ facets, chosen, onChoose }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const titleId = useId()
  const folders = facets?.folders ?? []
  const root = folders.find(({ path }) => path === '')
  const noFolderCount = root?.count ?? 0
  const nodes = visibleFolders(folders, (path) => !closed.has(path))
  const lines: Line[] = [
    {
      id: all,
      label: t('prompts:folder.all'),
      icon: <IconStack2 size={15} />,
      count: facets === undefined ? undefined : (root?.total ?? 0),
      level: 1,
      choice: {},
    },
    ...nodes.map(({ path, name, count, level, hasChildren }) => ({
      id: `folder:${path}`,
      label: name,
      icon: <IconFolder size={15} />,
      count,
      level,
      isOpen: hasChildren ? !closed.has(path) : undefined,
      choice: { folder: path },
    })),
    ...(noFolderCount > 0 && nodes.length > 0
      ? [
          {
            id: `folder:${noFolder}`,
            label: t('prompts:folder.none'),
            icon: <IconFolder size={15} />,
            count: noFolderCount,
            level: 1,
            choice: { folder: noFolder },
          },
        ]
      : []),
    ...((facets?.deleted ?? 0) > 0 || chosen.view === 'trash'
      ? [
          {
            id: trash,
            label: t('prompts:folder.trash'),
            icon: <IconTrash size={15} />,
            count: facets?.deleted ?? 0,
            level: 1,
            choice: { view: 'trash' as const },
          },
        ]
      : []),
  ]
  const current = lines.find(({ id }) => id === lineOf(chosen))?.id ?? all
  const toggle = (path: string): void => {
    const next = new Set(closed)
    if (!next.delete(path)) next.add(path)
    setClosed(next)
  }
  return (
    <>
      <nav className={styles['side']} aria-labelledby={titleId}>
        <h2 id={titleId} className={styles['title']}>
          {t('prompts:folder.title')}
        </h2>
        <Tree lines={lines} current={current} onChoose={onChoose} onToggle={toggle} labelId={titleId} />
      </nav>
      <Select
        className={styles['select'] ?? ''}
        aria-label={t('prompts:folder.title')}
        searchable={lines.length > 8}
        nothingFoundMessage={t('prompts:folder.not_found')}
        value={current}
        onChange={(chosenId) => {
          const line = lines.find(({ id }) => id === chosenId)
          if (line !== undefined) onChoose(line.choice)
        }}
        data={lines.map((line) => ({ value: line.id, label: labelOf(line) }))}
      />
    </>
  )
}

type TreeProps = {
  readonly lines: readonly Line[]
  readonly current: string
  readonly labelId: string
  readonly onChoose: (choice: Choice) => void
  readonly onToggle: (path: string) => void
}

/**
 * The tree widget. ↑ ↓ move, → expands, ← collapses or moves to the parent, Enter selects. It is one tab
 * stop.
 */
function Tree({ lines, current, labelId, onChoose, onToggle }: TreeProps) {
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const tabStopId = lines.some(({ id }) => id === focusedId) ? focusedId : current
  const focus = (from: HTMLElement, id: string | undefined): void => {
    if (id === undefined) return
    setFocusedId(id)
    from
      .closest('[role="tree"]')
      ?.querySelector<HTMLElement>(`[data-line="${CSS.escape(id)}"]`)
      ?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, line: Line, index: number): void => {
    const path = line.choice.folder
    const parent = path === undefined ? undefined : ancestorsOf(path).at(-1)
    const keys: Partial<Record<string, () => void>> = {
      ArrowDown: () => focus(event.currentTarget, lines[index + 1]?.id),
      ArrowUp: () => focus(event.currentTarget, lines[index - 1]?.id),
      Home: () => focus(event.currentTarget, lines[0]?.id),
      End: () => focus(event.currentTarget, lines.at(-1)?.id),
      ArrowRight: () => {
        if (line.isOpen === false && path !== undefined) onToggle(path)
        else if (line.isOpen === true) focus(event.currentTarget, lines[index + 1]?.id)
      },
      ArrowLeft: () => {
        if (line.isOpen === true && path !== undefined) onToggle(path)
        else if (parent !== undefined) focus(event.currentTarget, `folder:${parent}`)
      },
      Enter: () => onChoose(line.choice),
      ' ': () => onChoose(line.choice),
    }
    const run = keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  return (
    <div role="tree" aria-labelledby={labelId} className={styles['tree']}>
      {lines.map((line, index) => (
        <div
          key={line.id}
          role="treeitem"
          aria-level={line.level}
          aria-selected={line.id === current}
          aria-expanded={line.isOpen}
          tabIndex={line.id === tabStopId ? 0 : -1}
          data-line={line.id}
          className={styles['line']}
          style={{ paddingLeft: 4 + (line.level - 1) * 14 }}
          onClick={() => {
            setFocusedId(line.id)
            onChoose(line.choice)
          }}
          onKeyDown={(event) => onKeyDown(event, line, index)}
        >
          <ExpandArrow line={line} onToggle={onToggle} />
          {line.icon}
          <bdi className="truncate" title={line.label}>
            {line.label}
          </bdi>
          {line.count !== undefined && <span className={styles['count']}>{formatNumber(line.count)}</span>}
        </div>
      ))}
    </div>
  )
}

/** The arrow that expands a folder by mouse; by keyboard, → and ← do. */
function ExpandArrow({ line, onToggle }: { readonly line: Line; readonly onToggle: (path: string) => void }) {
  const path = line.choice.folder
  if (line.isOpen === undefined || path === undefined) return <span className={styles['expandArrow']} />
  const Icon = line.isOpen ? IconChevronDown : IconChevronRight
  return (
    <span
      className={styles['expandArrow']}
      aria-hidden="true"
      onClick={(event) => {
        event.stopPropagation()
        onToggle(path)
      }}
    >
      <Icon size={13} />
    </span>
  )
}
