import { log } from '../../shared/core/log.ts';
import { timers } from '../resources.ts';
import { invoke } from './invoke.ts';

/** The rules of EventBridge that invoke Lambdas by the clock; here at the start too, for what a stop left behind. */
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
