import { pino } from 'pino'
import { onMovableClock, setUpWatched, time } from '../../file-service.ts'
import { codeAt } from '../second-factor-support.ts'

export const step = 30_000

export const minute = 60_000

export { server, time, watchAgain, watcher } from '../../file-service.ts'

export const logged: string[] = []

export const codeNow = (secret: string, steps = 0) => codeAt(secret, time.clock.now(), steps)

export const withPassword = (person: { password: string }) => ({ current_password: person.password })

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  setUpWatched(undefined, () => {
    const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
    return onMovableClock({ logger })
  })
