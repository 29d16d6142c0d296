import { offsetText, toLocal } from '../../core/time/time-zone.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';

type Temporal = NonNullable<AgentConfig['temporal']>;

const thresholdSecondsDefault = 300;

export function nowText({ groundNow, timezone = 'UTC' }: Temporal, now: Date): string | undefined {
  if (!groundNow) return undefined;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const of = (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)?.value ?? '';
  const date = `${of('weekday')}, ${of('day')} ${of('month')} ${of('year')}`;
  const offset = offsetText(toLocal(now.getTime(), timezone), now.getTime());
  return `The current date and time is ${date}, ${of('hour')}:${of('minute')} (${timezone}, UTC${offset}).`;
}

export function elapsedText(
  { injectElapsed, elapsedThresholdSeconds = thresholdSecondsDefault }: Temporal,
  previous: Date | undefined,
  now: Date,
): string | undefined {
  if (!injectElapsed || !previous) return undefined;
  const seconds = Math.floor((now.getTime() - previous.getTime()) / 1_000);
  // A clock of another machine may be ahead.
  if (seconds < 1 || seconds < elapsedThresholdSeconds) return undefined;
  return `The previous message of this conversation was ${inWords(seconds)} ago.`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The two largest units. */
function inWords(seconds: number): string {
  const first = units.findIndex(([, size]) => seconds >= size);
  let left = seconds;
  const words = units.slice(first, first + 2).flatMap(([name, size]) => {
    const count = Math.floor(left / size);
    left %= size;
    return count > 0 ? `${count} ${name}${count > 1 ? 's' : ''}` : [];
  });
  return words.join(' and ');
}
