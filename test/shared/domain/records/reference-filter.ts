import type { Condition, RecordFilter } from '../../../../shared/core/filters/filter.ts';

// A second evaluator, as slow and plain as it can be, that shares nothing with the first.

type Known = { kind: 'number'; scaled: bigint } | { kind: 'date'; ms: number };

const digits = 40;
/** A decimal as a whole number of 10⁻⁴⁰. */
function scaledOf(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.trim().toLowerCase().split('e');
  const negative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const shifted = (whole + fraction + '0'.repeat(digits + Number(exponent))).slice(
    0,
    whole.length + digits + Number(exponent),
  );
  return negative ? -BigInt(shifted) : BigInt(shifted);
}

function refCompare(one: unknown, other: unknown): number | undefined {
  const sign = (a: bigint | number, b: bigint | number) => (a < b ? -1 : a > b ? 1 : 0);
  const pair = [one, other];
  if (pair.some((value) => typeof value === 'object')) return undefined;
  if (pair.some((value) => typeof value === 'number')) {
    const numeric = (value: unknown) =>
      typeof value === 'boolean' || /^\s*$|[xobinf]/i.test(String(value)) ? Number.NaN : Number(value);
    const [a, b] = pair.map(numeric) as [number, number];
    return Number.isNaN(a) || Number.isNaN(b) ? undefined : sign(a, b);
  }
  if (pair.some((value) => typeof value === 'boolean')) {
    const [a, b] = pair.map((value) => ['false', 'true'].indexOf(String(value).trim().toLowerCase())) as [
      number,
      number,
    ];
    return a < 0 || b < 0 ? undefined : sign(a, b);
  }
  const known = (text: string): Known | undefined => {
    if (/^-?\d+(\.\d+)?$/.test(text) && !/^-?0\d/.test(text))
      return { kind: 'number', scaled: scaledOf(text) };
    const [, day = '', clock = '', zone] =
      /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
    const ms = Date.parse(`${day}T${clock || '00:00'}${zone ?? 'Z'}`);
    const exists = !Number.isNaN(ms) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
    return day && exists ? { kind: 'date', ms } : undefined;
  };
  const [a, b] = [known(String(one)), known(String(other))];
  if (a?.kind === 'number' && b?.kind === 'number') return sign(a.scaled, b.scaled);
  if (a?.kind === 'date' && b?.kind === 'date') return sign(a.ms, b.ms);
  const [left, right] = pair.map((text) => [...String(text)].map((point) => point.codePointAt(0) ?? 0)) as [
    number[],
    number[],
  ];
  for (const [index, point] of left.entries()) {
    if (right[index] === undefined) return 1;
    if (point !== right[index]) return sign(point, right[index]);
  }
  return sign(left.length, right.length);
}

function refHolds(metadata: Record<string, unknown>, { field, op, value }: Condition, now: Date): boolean {
  const own = Object.entries(metadata).find(([key]) => key === field);
  let held: unknown = own?.[1];
  if (!own) {
    held = metadata;
    for (const part of field.split('.')) {
      held = Object.entries(Object(held) === held ? (held as object) : {}).find(([key]) => key === part)?.[1];
    }
  }
  if ([undefined, null].includes(held as null) || (typeof held === 'string' && !/\S/.test(held))) {
    return ['neq', 'notIn', 'isNotSet'].includes(op);
  }
  const order = (to: unknown) => refCompare(held, to);
  const some = (list: unknown) => (list as unknown[]).some((each) => order(each) === 0);
  const upper = (text: unknown) => String(text).toUpperCase();
  const plain = typeof held !== 'object';
  const age = () => {
    const asDate =
      typeof held === 'string' && /^\d{4}-\d\d-\d\d/.test(held)
        ? refCompare(held, now.toISOString())
        : undefined;
    return asDate === undefined ? undefined : (now.getTime() - Date.parse(String(held))) / 86_400_000;
  };
  const truth = plain ? upper(held).trim() : '';
  switch (op) {
    case 'eq':
      return order(value) === 0;
    case 'neq':
      return order(value) !== 0;
    case 'gt':
      return order(value) === 1;
    case 'lt':
      return order(value) === -1;
    case 'gte':
      return order(value) === 1 || order(value) === 0;
    case 'lte':
      return order(value) === -1 || order(value) === 0;
    case 'between': {
      const [low, high] = (value as unknown[]).map(order);
      return low !== undefined && high !== undefined && low >= 0 && high <= 0;
    }
    case 'in':
      return some(value);
    case 'notIn':
      return !some(value);
    case 'contains':
      if (Array.isArray(held))
        return held.some((each) => Object(each) !== each && each !== null && upper(each) === upper(value));
      return plain && upper(held).split(upper(value)).length > 1;
    case 'startsWith':
      return plain && upper(held).indexOf(upper(value)) === 0;
    case 'endsWith':
      return plain && upper(held).slice(-upper(value).length) === upper(value);
    case 'isSet':
      return true;
    case 'isNotSet':
      return false;
    case 'isTrue':
      return (held === true || typeof held === 'string') && truth === 'TRUE';
    case 'isFalse':
      return (held === false || typeof held === 'string') && truth === 'FALSE';
    case 'withinLastDays': {
      const days = age();
      return days !== undefined && days >= 0 && days <= Number(value);
    }
    case 'olderThanDays': {
      const days = age();
      return days !== undefined && days > Number(value);
    }
  }
}

/** Whether a filter means a record with this metadata, by other means than `matches`. */
export function refMatches(metadata: Record<string, unknown>, filter: RecordFilter, now: Date): boolean {
  if (!('conditions' in filter)) return refHolds(metadata, filter, now);
  const all = filter.conditions.map((each) => refMatches(metadata, each, now));
  return filter.op === 'and' ? !all.includes(false) : all.includes(true);
}
