import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The path from dist/server/lib/, where this file runs, to package.json. */
const packageFile = new URL('../../../package.json', import.meta.url)

/** The version of this build. */
export const serviceVersion = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version
