// @ts-check
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = (/** @type {string} */ line) => run('ip', line.split(' '))

/**
 * Creates two network namespaces that act as two machines on one isolated network. Needs root.
 * @param {string} suffix
 */
export async function createMachines(suffix) {
  const [server, mate] = [`pd-server-${suffix}`, `pd-mate-${suffix}`]
  const [a, b] = [`pds${suffix}`, `pdm${suffix}`]
  await ip(`netns add ${server}`)
  await ip(`netns add ${mate}`)
  await ip(`link add ${a} netns ${server} type veth peer name ${b} netns ${mate}`)
  for (const [machine, device, address] of [
    [server, a, '10.77.0.1/24'],
    [mate, b, '10.77.0.2/24'],
  ]) {
    await ip(`-n ${machine} link set lo up`)
    await ip(`-n ${machine} link set ${device} up`)
    await ip(`-n ${machine} address add ${address} dev ${device}`)
  }
  return {
    server,
    mate,
    /** Replaces the address of the server. @param {string} before @param {string} after */
    async readdress(before, after) {
      // In this order, because deleting the first address of a network also deletes its other addresses.
      await ip(`-n ${server} address del ${before} dev ${a}`)
      await ip(`-n ${server} address add ${after} dev ${a}`)
    },
    async remove() {
      await ip(`netns del ${mate}`)
      await ip(`netns del ${server}`)
    },
  }
}

/** Starts a program on a machine. @param {string} machine @param {readonly string[]} command @param {NodeJS.ProcessEnv} env */
export const startOn = (machine, command, env) =>
  spawn('ip', ['netns', 'exec', machine, ...command], { env, stdio: ['pipe', 'pipe', 'pipe'] })

/**
 * Runs a program on a machine to its end. Rejects unless it succeeds.
 * @param {string} machine @param {readonly string[]} command @param {NodeJS.ProcessEnv} env @returns {Promise<string>}
 */
export async function runOn(machine, command, env) {
  const { stdout } = await run('ip', ['netns', 'exec', machine, ...command], { env, maxBuffer: 1 << 26 })
  return stdout
}
