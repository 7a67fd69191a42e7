import { spawn } from 'node:child_process'

/** A toolchain is missing on this machine. Its cases are skipped, with a message. */
export class Missing extends Error {}

/**
 * Runs a tool and returns its output. Throws with that output if it fails, `Missing` if the tool is not
 * installed.
 */
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
