import { type ComponentType, type ReactNode, useEffect } from 'react'
import { liveState } from '../service/live.ts'
import { createStore, useStore } from '../state/store.ts'
import { useRestoredFocus } from './focus.ts'

type LazyPart<Props> = ((props: Props) => ReactNode) & {
  /** Loads the code, so that the first rendering shows the component immediately. */
  readonly preload: () => void
}

type State<Props> =
  | { readonly status: 'unused' | 'loading' | 'failed' }
  | { readonly status: 'loaded'; readonly component: ComponentType<Props> }

/**
 * Returns a component whose code loads when it is first rendered, or before with `preload`. Unlike React's `lazy`, it
 * does not suspend if the code is there, and never throws. If the code cannot be loaded, because the service is down,
 * it renders `Failure` (by default nothing), and loads the code when the live connection is back.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Failure?: ComponentType<Props>,
): LazyPart<Props> {
  const state = createStore<State<Props>>({ status: 'unused' })
  const start = (): void => {
    const { status } = state.get()
    if (status === 'loading' || status === 'loaded') return
    state.set({ status: 'loading' })
    load().then(
      (component) => state.set({ status: 'loaded', component }),
      () => {
        state.set({ status: 'failed' })
        onceLive(start)
      },
    )
  }
  function Part(props: Props) {
    const current = useStore(state)
    useEffect(start, [])
    if (current.status === 'loaded') return <current.component {...props} />
    return current.status === 'failed' && Failure !== undefined ? <Failure {...props} /> : null
  }
  return Object.assign(Part, { preload: start })
}

/** Calls the function once, when the live connection is next established. */
function onceLive(run: () => void): void {
  const unsubscribe = liveState.subscribe(() => {
    if (liveState.get().status !== 'live') return
    unsubscribe()
    run()
  })
}

type Closable = { readonly onClose: () => void }

/** The `Failure` of a dialog: closes it, so that it does not open long after it was asked for. */
export function CloseDialog({ onClose }: Closable) {
  useEffect(onClose, [onClose])
  return null
}

/** A `lazyPart` for a dialog. The focus returns to where it was before the code was there, such as a menu's button. */
export function lazyDialog<Props extends Closable>(
  load: () => Promise<ComponentType<Props>>,
): LazyPart<Props> {
  const Part = lazyPart(load, CloseDialog)
  function LazyDialog(props: Props) {
    useRestoredFocus()
    return <Part {...props} />
  }
  return Object.assign(LazyDialog, { preload: Part.preload })
}

/** Safari has no `requestIdleCallback`. */
const whenIdle = (run: () => void): void => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run)
  else setTimeout(run, 200)
}

/** Loads the code of the parts one after the other while the browser is idle. */
export function preloadWhenIdle(parts: readonly Pick<LazyPart<never>, 'preload'>[]): void {
  const [next, ...others] = parts
  if (next === undefined) return
  whenIdle(() => {
    next.preload()
    preloadWhenIdle(others)
  })
}
