import { z } from 'zod'

/** Parses a whole number within bounds. */
export const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'expected a whole number').transform(Number).pipe(z.number().min(min).max(max))
