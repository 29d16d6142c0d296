import { setTimeout as sleep } from 'node:timers/promises';
import { accepts, freePort, type GuardedProcess, spawnGuarded } from '../runtime/guarded-process.ts';
import { StartError } from '../runtime/start-error.ts';
import { prepareEngine } from './engines.ts';
import { thisMachine } from './machine.ts';

const readyWithinMs = 20_000;

/** Starts the first available engine, and returns its endpoint once it accepts connections. */
export async function startDynamoDb(
  directory: string | undefined,
): Promise<GuardedProcess & { endpoint: string }> {
  const { command, parameters } = await prepareEngine(thisMachine, directory);
  const port = await freePort();
  const engine = spawnGuarded(command, parameters(port, directory));
  const ended = engine.ended.then(() => 'ended' as const);
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    const state = await Promise.race([ended, accepts(port)]);
    if (state === true) return { ...engine, endpoint: `http://127.0.0.1:${port}` };
    if (state === 'ended') break;
    await sleep(10);
  }
  await engine.stop();
  throw new StartError(
    `The DynamoDB engine ${command} did not start: ${engine.output() || 'it printed nothing'}`,
  );
}
