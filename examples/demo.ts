import { StartError } from '../infra/local/runtime/start-error.ts';
import { ApiError } from '../packages/client/src/client.ts';
import { DemoError } from './demo/demo-error.ts';
import { runScenario } from './demo/scenario.ts';

const stopWithinMs = 4_000;
// The audit line of the model config would stand between those of the demo.
process.env.LOG_LEVEL ??= 'warn';
const running = new AsyncDisposableStack();

/** Stops everything that was started, then exits. The first call decides the code. */
function end(code: number) {
  if (running.disposed) return;
  setTimeout(() => process.exit(code), stopWithinMs);
  running.disposeAsync().finally(() => process.exit(code));
}

function messageOf(error: unknown): string {
  if (error instanceof DemoError || error instanceof StartError) return error.message;
  if (error instanceof ApiError) return `The service rejected a request of the demo: ${error.message}`;
  return `The demo failed with an unexpected error: ${error instanceof Error ? error.stack : error}`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130));
try {
  await runScenario(running, (what) => {
    process.stderr.write(`\n${what}. Run the demo again.\n`);
    end(1);
  });
  end(0);
} catch (error) {
  if (!running.disposed) process.stderr.write(`\n${messageOf(error)}\n`);
  end(1);
}
