import { loadOnce } from '../../core/concurrency/load-once.ts';
import type { A2aPort } from '../ports/a2a-port.ts';

/** Loads the SDK with the first message: most runs call no other agents. */
export const a2aPort: A2aPort = {
  async *send(request) {
    yield* (await load()).sendToAgent(request);
  },
};

const load = loadOnce(() => import('./send.ts'));
