import { toInstant } from '../../../shared/core/time.ts';
import { type NextTime, parseSchedulerCron } from './cron-evaluator.ts';

const at = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/;
const cron = /^cron\((.+)\)$/;

/** Reads `at(…)` or `cron(…)`. @throws Error that says what is wrong. */
export function parseExpression(text: string): NextTime {
  const [, once] = at.exec(text) ?? [];
  if (once !== undefined) {
    const wall = Date.parse(`${once}Z`);
    if (Number.isNaN(wall)) throw new Error('at(…) is no date');
    return (afterMs, zone) => {
      const instant = toInstant(wall, zone, 'end');
      return instant > afterMs ? instant : undefined;
    };
  }
  const [, fields] = cron.exec(text) ?? [];
  if (fields === undefined) throw new Error('Only at(yyyy-mm-ddThh:mm:ss) and cron(…) here');
  return parseSchedulerCron(fields);
}

/** Whether a schedule fires once. */
export const firesOnce = (expression: string) => at.test(expression);
