import { ResponseError } from '../functions/client.ts';
import { StartError } from '../infra/local/start-error.ts';
import { DemoError } from './demo/model.ts';
import { tellTheStory } from './demo/story.ts';

const stopWithinMs = 4_000;
const running = new AsyncDisposableStack();

/** Stops all that was started, and ends with the code that was given first. */
function end(code: number) {
  if (running.disposed) return;
  setTimeout(() => process.exit(code), stopWithinMs);
  running.disposeAsync().finally(() => process.exit(code));
}

function explained(error: unknown): string {
  if (error instanceof DemoError || error instanceof StartError) return error.message;
  if (error instanceof ResponseError) return `The service refused a request of the demo. ${error.message}`;
  return `The demo broke off, which it should not: ${error instanceof Error ? error.stack : error}`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130));
try {
  await tellTheStory(running, (what) => {
    process.stderr.write(`\n${what}: run the demo again.\n`);
    end(1);
  });
  end(0);
} catch (error) {
  if (!running.disposed) process.stderr.write(`\n${explained(error)}\n`);
  end(1);
}
