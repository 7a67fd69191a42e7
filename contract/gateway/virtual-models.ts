import { z } from 'zod'

/** Maximum number of models that are tried for one call. */
const maxTargets = 5
const maxVirtualModels = 100

const ModelTarget = z.strictObject({
  provider: z.string().min(1).max(64),
  model: z.string().trim().min(1).max(128),
})
export type ModelTarget = z.infer<typeof ModelTarget>

/** A name that callers of the gateway use as a model, and the models that are tried for it in order. */
export const VirtualModel = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'Expected 1 to 64 letters, digits, dots, hyphens or underscores'),
  targets: z.array(ModelTarget).min(1).max(maxTargets),
  timeout_ms: z.int().min(100).max(600_000).nullable().default(null).meta({
    description:
      'Time until the response must begin, in milliseconds; then the next target is tried. Null for the limit of the gateway',
  }),
})
export type VirtualModel = z.infer<typeof VirtualModel>

export const VirtualModels = z
  .array(VirtualModel)
  .max(maxVirtualModels)
  .refine((models) => new Set(models.map(({ name }) => name)).size === models.length, 'A name is repeated')
