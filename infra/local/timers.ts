import { log } from '../../shared/core/log.ts';
import { timers } from '../resources.ts';
import { invoke } from './invoke.ts';

/**
 * Emulates the EventBridge rules that invoke Lambdas on a schedule. Also invokes them at the start, to recover from the
 * last stop.
 */
export function startTimers(): Disposable {
  const running = timers.map(({ worker, everyMinutes, timeoutSeconds }) => {
    const run = (event: object) =>
      invoke(`workers/${worker}`, event, timeoutSeconds).catch((error) =>
        log.error('A worker failed', { error, worker }),
      );
    run({ atStart: true });
    return setInterval(run, everyMinutes * 60_000, {});
  });
  return {
    [Symbol.dispose]() {
      for (const timer of running) clearInterval(timer);
    },
  };
}
