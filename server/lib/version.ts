import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** package.json stands three folders above dist/server/lib/, where this runs. */
const packageFile = new URL('../../../package.json', import.meta.url)

/** The version of this build. */
export const serviceVersion = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version
