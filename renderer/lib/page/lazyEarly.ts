import { type ComponentType, lazy } from 'react'

/**
 * Like React's `lazy`, but loads the code as soon as the importing module runs instead of when the component is first
 * rendered: for what a page shows as soon as its data is there.
 */
export function lazyEarly<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const loading = load().then((component) => ({ default: component }))
  // Whoever renders the component sees the error; until then nobody does.
  loading.catch(() => undefined)
  return lazy(() => loading)
}
