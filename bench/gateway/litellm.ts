import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../infra/local/runtime/guarded-process.ts';
import { installPython, Missing } from '../measure/install.ts';
import { waitForServer } from './answering.ts';
import type { PeerGateway } from './gateway.ts';

const key = 'sk-of-the-bench';
/** That of Linux, in which /proc counts. */
const ticksPerSecond = 100;

/** LiteLLM's proxy in a process of its own, without a database, in front of a server. @throws Missing */
export async function startLiteLlm(modelsUrl: string): Promise<PeerGateway> {
  const folder = await installPython({ name: 'litellm', packages: ['litellm[proxy]==1.*'] });
  const port = await freePort();
  const config = join(folder, 'config.yaml');
  const model = { model: 'openai/echo', api_base: modelsUrl, api_key: 'none' };
  // JSON is YAML.
  await writeFile(
    config,
    JSON.stringify({ model_list: [{ model_name: 'generic-openai/echo', litellm_params: model }] }),
  );
  const child = spawn(join(folder, 'bin/litellm'), ['--config', config, '--port', String(port)], {
    stdio: 'ignore',
    env: {
      ...process.env,
      LITELLM_MASTER_KEY: key,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_LOG: 'ERROR',
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  if (!(await waitForServer(`${origin}/health/liveliness`, child)))
    throw new Missing('LiteLLM does not start');
  return {
    way: { url: `${origin}/v1/chat/completions`, headers: { authorization: `Bearer ${key}` } },
    async cpuMs() {
      const text = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      // After the name, which may have spaces: utime and stime are the 12th and 13th.
      const [user, system] = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number);
      return ((user as number) + (system as number)) * (1_000 / ticksPerSecond);
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
