import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'
import { t } from '../../../lib/i18n.ts'
import { Sparkline } from '../../../ui/display/Sparkline.tsx'
import styles from '../overview.module.css'
import type { Change } from './change.ts'

type Props = {
  readonly label: string
  readonly value: string
  /** The exact figure, if `value` is rounded. */
  readonly exact?: string | undefined
  /** The change from the previous period. */
  readonly change?: Change | null | undefined
  /** The value of the previous period. */
  readonly before?: string | undefined
  /** Meaning of an increase: `bad` is displayed in colour. */
  readonly rise?: 'bad' | 'quiet'
  /** Displayed instead of the comparison. */
  readonly note?: string | undefined
  readonly series?: readonly number[] | undefined
}

type AnchorProps = Props & AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }

const arrows = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconArrowRight } as const
/** Fewer points than `minPoints` draw no line; more than `maxPoints` are averaged to fit the width. */
const minPoints = 3
const maxPoints = 32

function downsample(series: readonly number[]): readonly number[] {
  const size = Math.ceil(series.length / maxPoints)
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
        {series !== undefined && series.length >= minPoints && series.some((value) => value > 0) && (
          <Sparkline
            values={downsample(series)}
            label={t('overview:trend', { what: label })}
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
              {before !== undefined &&
                change.direction !== 'same' &&
                t('overview:change.previous', { before })}
            </>
          ) : (
            t('overview:change.none')
          ))}
      </span>
    </a>
  )
}

/**
 * A tile with one figure, its change from the previous period and a sparkline. The tile links to its rows.
 */
export const Tile = createLink(AnchorTile)
