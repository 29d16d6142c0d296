import { useEffect, useState } from 'react';
import { language } from '../../texts/language.ts';
import { uiTexts } from '../../texts/ui.ts';

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment, as `3 minutes ago`; its title has the exact time. */
export function Time({ at }: { at: string | number | null | undefined }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null || at === undefined) return <>{uiTexts.never}</>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <>{String(at)}</>;
  const exact = absolute.format(date);
  return (
    <time dateTime={date.toISOString()} title={exact}>
      {agoOf((date.getTime() - now) / 1_000)}
    </time>
  );
}

function agoOf(seconds: number): string {
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return seconds > 0 ? uiTexts.inAMoment : uiTexts.justNow;
}

/** The exact time, as people here write it. */
export const ExactTime = ({ at }: { at: string | number }) => <>{absolute.format(new Date(at))}</>;
