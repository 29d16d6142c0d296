import type * as z from 'zod';
import { StepError } from '../../../core/errors/step-error.ts';
import { addToDate, isTimeZone, offsetText, toInstant, toLocal } from '../../../core/time.ts';
import { type Duration, dateTimeTool } from '../../../domain/tools/builtin/date-time.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

const [yearMin, yearMax] = [1_000, 9_999];
const dayMs = 86_400_000;

export const dateTimeToolRunner = defineBuiltinRunner(dateTimeTool, {
  perform({ operation, date, other, timezone = 'UTC', duration = {} }, { ports }) {
    if (!isTimeZone(timezone)) throw new StepError(`timezone: "${timezone}" is not an IANA time zone`);
    const parseMoment = (text: string | undefined, member: string) =>
      text === undefined ? ports.now().getTime() : parseInstant(text, timezone, member);
    const from = operation === 'now' ? ports.now().getTime() : parseMoment(date, 'date');
    if (operation === 'difference')
      return { output: computeDifference(from, parseMoment(other, 'other'), timezone) };
    return {
      output: formatInstant(operation === 'add' ? addUnits(from, duration, timezone) : from, timezone),
    };
  },
});

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?$/;

function parseInstant(text: string, zone: string, member: string): number {
  const parts = pattern.exec(text.trim());
  if (!parts) throw createInvalidMomentError(text, member);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const ms = Math.floor(Number(`0.${parts[7] ?? 0}`) * 1_000);
  const local = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  const read = new Date(local);
  const isReal = read.getUTCMonth() === month - 1 && read.getUTCDate() === day && hour < 24 && minute < 60;
  if (!isReal || second > 59 || year < yearMin) throw createInvalidMomentError(text, member);
  const offset = parts[8];
  if (!offset) return toInstant(local, zone);
  if (offset === 'Z') return local;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  if (hours > 23 || minutes > 59) throw createInvalidMomentError(text, member);
  return local - (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const createInvalidMomentError = (text: string, member: string) =>
  new StepError(`${member}: "${text}" is not an ISO 8601 date or time of the years ${yearMin} to ${yearMax}`);

function addUnits(
  from: number,
  { years = 0, months = 0, weeks = 0, days = 0, ...elapsed }: z.output<typeof Duration>,
  zone: string,
): number {
  const { hours = 0, minutes = 0, seconds = 0 } = elapsed;
  const movesDate = years || months || weeks || days;
  const moved = movesDate
    ? toInstant(addToDate(toLocal(from, zone), { months: years * 12 + months, days: weeks * 7 + days }), zone)
    : from;
  return moved + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

function formatInstant(instant: number, zone: string) {
  const year = new Date(instant).getUTCFullYear();
  if (!(year > yearMin && year < yearMax)) {
    throw new StepError(`The result is not between the years ${yearMin} and ${yearMax}`);
  }
  const local = toLocal(instant, zone);
  const text = new Date(local).toISOString().slice(0, -1);
  return {
    iso: `${text.replace(/\.000$/, '')}${offsetText(local, instant)}`,
    utc: new Date(instant).toISOString(),
    timezone: zone,
    date: text.slice(0, 10),
    time: text.slice(11, 19),
    weekday: new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' }).format(local),
    unixSeconds: Math.floor(instant / 1_000),
  };
}

function computeDifference(from: number, to: number, zone: string) {
  const toDay = (instant: number) => Math.floor(toLocal(instant, zone) / dayMs);
  const seconds = (to - from) / 1_000;
  return {
    seconds,
    minutes: seconds / 60,
    hours: seconds / 3_600,
    days: seconds / 86_400,
    calendarDays: toDay(to) - toDay(from),
  };
}
