import { useEffect, useState } from 'react'

type Props = {
  /** The end, as ISO 8601. */
  readonly until: string
  /** Returns the text for the remaining time, such as `4:05`. */
  readonly text: (time: string) => string
  /** Called once when the time is over. */
  readonly onOver?: () => void
}

const secondsUntil = (until: string): number =>
  Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / 1000))

/** The time that remains, in minutes and seconds. */
export function Countdown({ until, text, onOver }: Props) {
  const [seconds, setSeconds] = useState(() => secondsUntil(until))
  const isOver = seconds === 0
  useEffect(() => {
    setSeconds(secondsUntil(until))
    const timer = setInterval(() => setSeconds(secondsUntil(until)), 1000)
    return () => clearInterval(timer)
  }, [until])
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once at the end, whichever function it is
  useEffect(() => {
    if (isOver) onOver?.()
  }, [isOver])
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <span style={{ fontVariantNumeric: 'tabular-nums' }}>{text(time)}</span>
}
