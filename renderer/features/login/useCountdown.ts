import { useEffect, useState } from 'react'

/** Counts down the seconds until the service accepts another sign-in. */
export function useCountdown() {
  const [seconds, setSeconds] = useState(0)
  const isWaiting = seconds > 0
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => setSeconds((left) => left - 1), 1000)
    return () => clearInterval(timer)
  }, [isWaiting])
  return { seconds, start: (initialSeconds: number | undefined): void => setSeconds(initialSeconds ?? 0) }
}
