import { log } from '../../shared/core/log.ts';
import { queues, timers } from '../resources.ts';
import { invoke } from './runtime/invoke.ts';

/**
 * Emulates the EventBridge rules that invoke Lambdas on a schedule. Also invokes them at the start, to recover from the
 * last stop, and starts the migrations: no other release runs beside this one.
 */
export function startTimers(): Disposable {
  const running = timers.map(({ worker, everyMinutes, timeoutSeconds }) => {
    const run = (event: object) => runWorker(worker, event, timeoutSeconds);
    run({ atStart: true });
    return setInterval(run, everyMinutes * 60_000, {});
  });
  runWorker(queues.migrations.worker, { start: true }, queues.migrations.timeoutSeconds);
  return {
    [Symbol.dispose]() {
      for (const timer of running) clearInterval(timer);
    },
  };
}

const runWorker = (worker: string, event: object, timeoutSeconds: number) =>
  invoke(`workers/${worker}`, event, timeoutSeconds).catch((error) =>
    log.error('A worker failed', { error, worker }),
  );
