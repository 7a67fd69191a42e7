import { formatExact, formatLogTime } from '../../lib/format/format.ts'
import { useNow } from '../../lib/format/now.ts'
import { Hint } from './Hint.tsx'
import { relativeTime } from './Time.tsx'

type Props = {
  /** ISO 8601. */
  readonly at: string
}

/**
 * The clock time of an entry of a log, with the date if it is not today. Hover and focus show the relative
 * time and the exact one in local time and UTC.
 */
export function ClockTime({ at }: Props) {
  const now = useNow()
  const date = new Date(at)
  const { local, utc } = formatExact(date)
  return (
    <Hint label={`${relativeTime(date, now)}\n${local}\n${utc}`}>
      <time dateTime={date.toISOString()} className="tabular" style={{ whiteSpace: 'nowrap' }}>
        {formatLogTime(date, now)}
      </time>
    </Hint>
  )
}
