import type { KnownWait } from '../../adapters/ports/waits-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { Suspended } from './step-runner.ts';

/** Suspends the run until somebody answers, or the time is over. */
export const suspendUntilAnswer = ({ expiresAt, canResume }: KnownWait): Suspended => ({
  until: new Date(expiresAt),
  isAnswerable: true,
  ...(!canResume && { needsResume: true }),
});

/** A step that nobody answered in time. */
export const noAnswer = (minutes: number) => new StepError(`Nobody answered within ${toWords(minutes)}`);

const toWords = (minutes: number): string => {
  const [count, unit] =
    minutes % 1_440 === 0
      ? [minutes / 1_440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};
