import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { Marker, MarkerGroup } from '../chart.ts'
import { MarkerSign } from './MarkerSign.tsx'
import styles from './markers.module.css'
import { kindOf, type PositionedGroup } from './markers.ts'

type Props = {
  readonly group: PositionedGroup
  readonly onHover: (index: number | null) => void
  readonly onOpen: (marker: Marker) => void
  readonly card: (group: MarkerGroup) => ReactNode
}

/**
 * A marker, or several at one place. Hover or focus shows its card. A click opens a single marker, or moves
 * the focus into the card.
 */
export function MarkerSpot({ group, onHover, onOpen, card }: Props) {
  const [isShown, setShown] = useState(false)
  const id = useId()
  const cardRef = useRef<HTMLDivElement>(null)
  const { markers } = group
  const [first] = markers
  const show = (): void => {
    setShown(true)
    onHover(group.index)
  }
  const hide = (): void => {
    setShown(false)
    onHover(null)
  }
  const press = (): void => {
    if (first !== undefined && markers.length === 1) onOpen(first)
    else {
      show()
      cardRef.current?.querySelector('a')?.focus()
    }
  }
  return (
    <li
      onPointerEnter={show}
      onPointerLeave={(event) => {
        if (!event.currentTarget.contains(document.activeElement)) hide()
      }}
      onFocus={show}
      onBlur={(event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) hide()
      }}
      onKeyDown={(event: KeyboardEvent<HTMLLIElement>) => {
        if (event.key !== 'Escape' || !isShown) return
        event.preventDefault()
        event.currentTarget.querySelector('button')?.focus()
        hide()
      }}
    >
      <button
        type="button"
        className={styles['marker']}
        style={{ left: `${100 * group.x}%` }}
        data-kind={kindOf(group)}
        aria-label={
          markers.length === 1
            ? (first?.label ?? '')
            : t('common:chart.marker', { count: markers.length, first: first?.label ?? '' })
        }
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        onClick={press}
      >
        <MarkerSign kind={kindOf(group)} />
        {markers.length > 1 && <span className={styles['markerCount']}>{markers.length}</span>}
      </button>
      <div
        id={id}
        ref={cardRef}
        hidden={!isShown}
        className={styles['card']}
        style={{ '--x': group.x } as Record<string, number>}
        data-testid={isShown ? 'marker-card' : undefined}
      >
        {isShown && card(group)}
      </div>
    </li>
  )
}
