// @ts-check

/**
 * Parses the arguments `--seed N --shard i/n --<other> N` of a harness.
 * @template {Record<string, number>} Others
 * @param {readonly string[]} args
 * @param {Others} others Names and defaults of other numbers.
 * @returns {Others & { seed: number, shard: number, shards: number }}
 */
export function readArguments(args, others) {
  /** @type {Record<string, number>} */
  const found = { seed: 1, shard: 1, shards: 1, ...others }
  for (let at = 0; at < args.length; at += 2) {
    const name = (args[at] ?? '').replace(/^--/, '')
    const value = args[at + 1] ?? ''
    if (name === 'shard' && /^\d+\/\d+$/.test(value)) {
      const [shard = 1, shards = 1] = value.split('/').map(Number)
      Object.assign(found, { shard, shards })
    } else if (name in found && name !== 'shards' && /^\d+(\.\d+)?$/.test(value)) found[name] = Number(value)
    else throw new Error(`Unknown argument ${args[at]} ${value}. Known: ${Object.keys(found).join(', ')}`)
  }
  const { shard = 1, shards = 1 } = found
  if (shard < 1 || shard > shards) throw new Error(`There is no shard ${shard} of ${shards}`)
  return /** @type {Others & { seed: number, shard: number, shards: number }} */ (found)
}
