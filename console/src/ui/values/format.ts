import { language } from '../../texts/language.ts';
import { uiTexts } from '../../texts/ui.ts';

const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });

export const compact = (value: number) => short.format(value);

/** US dollars. Small costs keep two significant digits. */
export function dollars(value: number | string | null | undefined): string {
  const number = Number(value ?? 0);
  if (number === 0) return '$0';
  const digits = Math.abs(number) >= 0.01 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(Math.abs(number))));
  return `$${number.toFixed(digits)}`;
}

/** In a list, where a longer one would be cut: `<$0.0001` for what is less. */
export const shortDollars = (value: number | string) =>
  Number(value) > 0 && Number(value) < 0.0001 ? '<$0.0001' : dollars(value);

/** `850 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '';
  if (Math.round(ms) < 1_000) return uiTexts.milliseconds(Math.round(ms));
  if (ms < 59_950) return uiTexts.seconds((ms / 1_000).toFixed(1));
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return uiTexts.minutesAndSeconds(Math.floor(seconds / 60), seconds % 60);
  const minutes = Math.round(ms / 60_000);
  return uiTexts.hoursAndMinutes(Math.floor(minutes / 60), minutes % 60);
}

export function bytes(value: number): string {
  if (value < 1_000) return uiTexts.bytes(value);
  if (value < 1_000_000) return uiTexts.kilobytes((value / 1_000).toFixed(1));
  return uiTexts.megabytes((value / 1_000_000).toFixed(1));
}

/** The kind of an id, and its end. Ids that people can read remain: `builtin:calculator`. */
export const shortId = (id: string) => id.replace(/^([a-z]+_)[0-9a-z]{20}(?=[0-9a-z]{6}$)/, '$1…');
