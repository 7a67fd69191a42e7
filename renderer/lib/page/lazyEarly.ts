import { type ComponentType, lazy } from 'react'

/**
 * Like React's `lazy`, but loads the code as soon as the importing module runs instead of when the component is first
 * rendered: for what a page shows as soon as its data is there.
 */
export function lazyEarly<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const loading = load().then((component) => ({ default: component }))
  // React throws the error where the component is rendered. This keeps the browser from logging it as unhandled.
  loading.catch(() => undefined)
  return lazy(() => loading)
}
