import { onMovableClock, setUpWatched } from './file-service.ts'

export { server, time, watchAgain, watcher } from './file-service.ts'

/** Starts a service with a movable clock, and a watcher, before the tests of the calling file and closes them after. */
export const setUpService = () => setUpWatched(undefined, onMovableClock)
