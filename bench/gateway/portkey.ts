import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { install, Missing } from '../measure/install.ts';
import type { Way } from './in-flight.ts';

/** Answers each message with the CPU time of its process. */
const probe = `data:text/javascript,process.on("message", () => process.send(process.cpuUsage())); process.on("disconnect", () => process.exit())`;

/** Portkey's gateway in a process of its own, in front of a server. @throws Missing */
export async function startPortkey(modelsUrl: string) {
  const folder = await install({ name: 'portkey', packages: ['@portkey-ai/gateway@1'] });
  const port = await freePort();
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const child = fork(program, [`--port=${port}`, '--headless'], {
    cwd: folder,
    execArgv: ['--max-semi-space-size=8', '--import', probe],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const origin = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    if (await fetch(origin).catch(() => undefined)) break;
    if (attempt === 100 || child.exitCode !== null) throw new Missing('Portkey’s gateway does not start');
    await sleep(100);
  }
  const way: Way = {
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
