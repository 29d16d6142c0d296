import { onTestFinished } from 'vitest';
import { type StandInOptions, startModelStandIn } from '../../../examples/model-stand-in.ts';

/** A model server of the test's own, closed when the test ends. */
export async function modelServer(options: StandInOptions = {}) {
  const server = await startModelStandIn(options);
  onTestFinished(server.close);
  return server;
}
