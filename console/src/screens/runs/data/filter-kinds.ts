import { runListTexts } from '../../../texts/run-list.ts';
import { dollars, durationText, shortId } from '../../../ui/values/format.ts';

export type FilterKind = 'names' | 'range' | 'id' | 'text' | 'moment' | 'duration' | 'cost';

type Options = readonly { value: string; label: string }[];
interface Field {
  options?: Options;
  prefixes?: readonly string[];
}

interface Kind {
  /** What is wrong with a value, if anything. */
  problem: (value: string, field: Field) => string | undefined;
  shown: (value: string, options: Options) => string;
}

const valuesOf = ({ options = [] }: Field) => options.map(({ value }) => value);
const labelOf = (value: string, options: Options) =>
  options.find((option) => option.value === value)?.label ?? value;

const unknownAmong = (values: readonly string[], allowed: readonly string[]) => {
  const unknown = values.find((value) => !allowed.includes(value));
  return unknown === undefined ? undefined : runListTexts.isNotOneOf(unknown, allowed);
};

/** A time with its zone. */
export const isMoment = (value: string | undefined): value is string =>
  value !== undefined &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
  !Number.isNaN(Date.parse(value));

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** How values of each kind are checked, by the rules of the API, and shown. */
export const filterKinds: Record<FilterKind, Kind> = {
  names: {
    problem: (value, field) => unknownAmong(value.split(','), valuesOf(field)),
    shown: (value, options) =>
      value
        .split(',')
        .map((each) => labelOf(each, options))
        .join(', '),
  },
  range: { problem: (value, field) => unknownAmong([value], valuesOf(field)), shown: labelOf },
  id: {
    problem: (value, { prefixes = [] }) =>
      prefixes.some((prefix) =>
        prefix === 'builtin'
          ? /^builtin:[\w-]+$/.test(value)
          : new RegExp(`^${prefix}_[0-7][0-9a-z]{25}$`).test(value),
      )
        ? undefined
        : runListTexts.isNotAnId(
            value,
            prefixes.map((prefix) => (prefix === 'builtin' ? 'builtin:…' : `${prefix}_…`)),
          ),
    shown: shortId,
  },
  text: { problem: (value) => (value === '' ? runListTexts.enterText : undefined), shown: (value) => value },
  moment: {
    problem: (value) => (isMoment(value) ? undefined : runListTexts.isNotADate(value)),
    shown: (value) => (isMoment(value) ? exact.format(new Date(value)) : value),
  },
  duration: {
    problem: (value) => (/^\d{1,12}$/.test(value) ? undefined : runListTexts.isNotAWholeNumber(value)),
    shown: (value) => durationText(Number(value)),
  },
  cost: {
    problem: (value) => (/^\d+(\.\d+)?$/.test(value) ? undefined : runListTexts.isNotAnAmount(value)),
    shown: (value) => dollars(value),
  },
};
