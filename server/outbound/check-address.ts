import {
  checkTarget,
  OutboundRefused,
  pinTarget,
  type Resolve,
  systemResolve,
  type TargetOptions,
} from './targets.ts'

/** Maximum time that saving waits for a look-up, in milliseconds. An unknown name may be found later. */
const lookUpLimitMs = 2_000

/**
 * Returns why an address may not be saved, or null. A name that cannot be resolved is accepted, because each
 * connection checks again.
 */
export async function refusalOf(
  address: string,
  options: TargetOptions & { readonly resolve?: Resolve },
): Promise<string | null> {
  const { resolve = systemResolve, ...target } = options
  try {
    const url = checkTarget(address, target)
    await Promise.race([pinTarget(url, target, resolve).then(() => {}), pause(lookUpLimitMs)])
    return null
  } catch (error) {
    return error instanceof OutboundRefused ? error.message : null
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
