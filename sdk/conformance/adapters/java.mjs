import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { processAdapter } from '../lib/adapter.mjs'
import { root } from './build-js.mjs'
import { Missing, runTool } from './tool.mjs'

const folder = join(root, 'sdk/java')

/**
 * Starts the Java client's adapter, which is part of its test sources. Maven builds both and resolves
 * dependencies.
 */
export async function start() {
  if (!existsSync(join(folder, 'pom.xml'))) throw new Missing('there is no sdk/java')
  await runTool('java', ['-version'])
  const list = join(folder, 'target', 'test-classpath.txt')
  const goals = [
    'test-compile',
    'dependency:build-classpath',
    '-Dmdep.includeScope=test',
    `-Dmdep.outputFile=${list}`,
  ]
  await runTool('mvn', ['-q', '-B', ...goals], { cwd: folder })
  const dependencies = readFileSync(list, 'utf8').trim()
  const path = [join(folder, 'target/classes'), join(folder, 'target/test-classes'), dependencies].filter(
    (entry) => entry !== '',
  )
  // These must have no effect on the client; the proxy does not exist.
  const unsafe = [
    '-Djdk.internal.httpclient.disableHostnameVerification=true',
    ...['-Dhttp.proxyHost=127.0.0.1', '-Dhttp.proxyPort=1', '-Dhttp.nonProxyHosts='],
  ]
  const args = [...unsafe, '-cp', path.join(delimiter), 'dev.promptdeck.conformance.Adapter']
  return processAdapter(spawn('java', args, { cwd: root }))
}
