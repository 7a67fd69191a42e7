import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'
import { t } from '../../lib/i18n.ts'
import { Sparkline } from '../../ui/Sparkline.tsx'
import type { Change } from './change.ts'
import styles from './overview.module.css'

type Props = {
  readonly label: string
  readonly value: string
  /** The exact figure, where `value` is rounded. */
  readonly exact?: string | undefined
  /** Against the period before. */
  readonly change?: Change | null | undefined
  /** What it was before. */
  readonly before?: string | undefined
  /** What a rise means; colour only where it means something. */
  readonly rise?: 'bad' | 'quiet'
  /** Instead of the comparison. */
  readonly note?: string | undefined
  readonly series?: readonly number[] | undefined
}

type AnchorProps = Props & AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

const arrows = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconArrowRight } as const
/** Fewer points are no course; more than the line has room for are averaged. */
const leastPoints = 3
const mostPoints = 32

function thinned(series: readonly number[]): readonly number[] {
  const size = Math.ceil(series.length / mostPoints)
  return Array.from({ length: Math.ceil(series.length / size) }, (_, index) => {
    const group = series.slice(index * size, (index + 1) * size)
    return group.reduce((sum, value) => sum + value, 0) / group.length
  })
}

function AnchorTile(props: AnchorProps) {
  const { label, value, exact, change, before, rise = 'quiet', note, series, ...anchor } = props
  const Arrow = arrows[change?.direction ?? 'same']
  const tone = rise === 'quiet' || !change || change.direction === 'same' ? 'quiet' : change.direction
  return (
    <a {...anchor} className={styles['tile']} data-testid="tile">
      <span className={styles['tileLabel']}>{label}</span>
      <span className={styles['tileLine']}>
        <span className={styles['tileValue']} title={exact}>
          {value}
        </span>
        {series !== undefined && series.length >= leastPoints && series.some((value) => value > 0) && (
          <Sparkline
            values={thinned(series)}
            label={t('overview:course', { what: label })}
            width={64}
            height={22}
          />
        )}
      </span>
      <span className={styles['tileNote']}>
        {note ??
          (change ? (
            <>
              <span className={styles['change']} data-tone={tone}>
                <Arrow size={13} aria-hidden="true" />
                {change.direction === 'same'
                  ? t('overview:change.same')
                  : t(`overview:change.${change.direction}`, { change: change.text })}
              </span>{' '}
              {before !== undefined && t('overview:change.was', { before })}
            </>
          ) : (
            t('overview:change.none')
          ))}
      </span>
    </a>
  )
}

/** One figure, how it moved against the period before, and its course; the whole tile leads to its rows. */
export const Tile = createLink(AnchorTile)
