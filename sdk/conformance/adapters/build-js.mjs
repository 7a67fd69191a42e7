import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensure } from '../../../scripts/ensure.mjs'
import { Missing } from './tool.mjs'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Builds `sdk/js` if it is stale. Tests that run at the same time use the same build. */
export async function buildJs() {
  if (!existsSync(join(root, 'sdk/js/package.json'))) throw new Missing('there is no sdk/js')
  await ensure(['sdk'])
}
