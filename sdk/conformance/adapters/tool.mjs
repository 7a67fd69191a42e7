import { spawn } from 'node:child_process'

/** A toolchain that is not on this machine: its cases are skipped, loudly. */
export class Missing extends Error {}

/** Runs a tool to its end and answers what it wrote; throws with that when it fails, `Missing` when it is not there. */
export function runTool(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let written = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      written += chunk
    })
    child.stderr.on('data', (chunk) => {
      written += chunk
    })
    child.on('error', (error) => {
      const isMissing = error.code === 'ENOENT'
      reject(isMissing ? new Missing(`${command} is not installed`) : error)
    })
    child.on('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${command} ${args.join(' ')} failed (${code})\n${written.slice(-4000)}`))
    })
  })
}
