import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../infra/local/runtime/guarded-process.ts';
import { install, Missing } from '../measure/install.ts';
import { waitForServer } from './answering.ts';
import type { PeerGateway } from './gateway.ts';
import type { CompletionRoute } from './in-flight.ts';

/** Answers each message with the CPU time of its process. */
const probe = `data:text/javascript,process.on("message", () => process.send(process.cpuUsage())); process.on("disconnect", () => process.exit())`;

/** Portkey's gateway in a process of its own, in front of a server. @throws Missing */
export async function startPortkey(modelsUrl: string): Promise<PeerGateway> {
  const folder = await install({ name: 'portkey', packages: ['@portkey-ai/gateway@1'] });
  const port = await freePort();
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const child = fork(program, [`--port=${port}`, '--headless'], {
    cwd: folder,
    execArgv: ['--max-semi-space-size=8', '--import', probe],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const origin = `http://127.0.0.1:${port}`;
  if (!(await waitForServer(origin, child))) throw new Missing('Portkey’s gateway does not start');
  const way: CompletionRoute = {
    url: `${origin}/v1/chat/completions`,
    headers: {
      authorization: 'Bearer none',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': modelsUrl,
    },
  };
  return {
    way,
    async cpuMs(): Promise<number> {
      child.send('cpu');
      const [{ user, system }] = await once(child, 'message');
      return (user + system) / 1_000;
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}
