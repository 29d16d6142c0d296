import { triggerTypes } from '../../../../../shared/domain/runs/trigger-types.ts';
import { runListTexts } from '../../../texts/run-list.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { valueText } from '../../../texts/values.ts';
import { warningTexts } from '../../../texts/warnings.ts';
import { type FilterKind, filterKinds, isMoment } from './filter-kinds.ts';

export interface FilterField {
  label: string;
  kind: FilterKind;
  /** The values to choose from, for `names`; the ranges of time, for `range`. */
  options?: readonly { value: string; label: string }[];
  /** What the ids of this filter begin with. */
  prefixes?: readonly string[];
  help?: string;
}

const named = (...values: string[]) => values.map((value) => ({ value, label: valueText(value) }));
const id = (label: string, ...prefixes: string[]): FilterField => ({ label, kind: 'id', prefixes });

/** What `GET /v1/runs` filters by, under its names; `started` is a range that ends now. */
const filterFields = {
  status: {
    label: sharedTexts.status,
    kind: 'names',
    options: named('scheduled', 'running', 'paused', 'completed', 'failed', 'cancelled'),
  },
  kind: { label: sharedTexts.kind, kind: 'names', options: named('batch', 'flow', 'agent', 'tool') },
  started: {
    label: sharedTexts.started,
    kind: 'range',
    options: [
      { value: '1h', label: runListTexts.pastHour },
      { value: '24h', label: runListTexts.past24Hours },
      { value: '7d', label: runListTexts.past7Days },
      { value: '30d', label: runListTexts.past30Days },
    ],
  },
  trigger: {
    label: sharedTexts.trigger,
    kind: 'names',
    options: named(...triggerTypes),
  },
  flowId: id(sharedTexts.flow, 'flow'),
  agentId: id(sharedTexts.agent, 'agent'),
  toolId: id(sharedTexts.tool, 'tool', 'builtin'),
  error: { label: runListTexts.errorContains, kind: 'text', help: runListTexts.partOfErrorMessage },
  warning: {
    label: warningTexts.warning,
    kind: 'range',
    options: [
      { value: 'any', label: warningTexts.any },
      ...Object.entries(warningTexts.titles).map(([value, label]) => ({ value, label })),
    ],
  },
  tag: { label: runListTexts.tag, kind: 'text' },
  sessionId: { label: sharedTexts.session, kind: 'text' },
  minDurationMs: { label: runListTexts.durationAtLeast, kind: 'duration', help: runListTexts.inMilliseconds },
  minCost: { label: runListTexts.costAtLeast, kind: 'cost', help: runListTexts.inUsDollars },
  from: { label: runListTexts.startedAfter, kind: 'moment' },
  to: { label: runListTexts.startedBefore, kind: 'moment' },
  productId: id(sharedTexts.product, 'product'),
  surfaceId: id(sharedTexts.surface, 'surface'),
  scheduleId: id(runListTexts.schedule, 'schedule'),
  apiKeyId: id(sharedTexts.apiKey, 'key'),
  parentRunId: id(sharedTexts.parentRun, 'batch', 'exec', 'toolrun'),
  root: {
    label: sharedTexts.nestedRuns,
    kind: 'names',
    options: [{ value: 'false', label: runListTexts.included }],
    help: runListTexts.aboutNestedRuns,
  },
} as const satisfies Record<string, FilterField>;

export type FilterName = keyof typeof filterFields;
export type RunFilters = Partial<Record<FilterName, string>>;

export const filterNames = Object.keys(filterFields) as FilterName[];
export const filterField = (name: FilterName): FilterField => filterFields[name];
const isName = (name: string): name is FilterName => Object.hasOwn(filterFields, name);

/** What is wrong with a value of a filter, if anything. */
export function filterProblem(name: FilterName, value: string): string | undefined {
  const field = filterField(name);
  return filterKinds[field.kind].problem(value, field);
}

/** Members of the address that are no filters. */
const others = new Set(['preview']);

export interface AddressFilters {
  filters: RunFilters;
  /** Why the list cannot be shown: it would have more in it than its address says. */
  problems: string[];
}

/** The filters in the parameters of an address, which somebody may have typed. */
export function parseAddressFilters(search: Readonly<Record<string, unknown>>): AddressFilters {
  const filters: RunFilters = {};
  const problems: string[] = [];
  for (const [name, parameter] of Object.entries(search)) {
    if (others.has(name) || parameter === undefined) continue;
    if (!isName(name)) {
      problems.push(runListTexts.noSuchFilter(name));
      continue;
    }
    const value = typeof parameter === 'object' ? '' : String(parameter);
    filters[name] = value;
    const problem = filterProblem(name, value);
    if (problem) problems.push(`${filterField(name).label}: ${problem}`);
  }
  if (isMoment(filters.from) && isMoment(filters.to) && Date.parse(filters.from) > Date.parse(filters.to))
    problems.push(runListTexts.rangeIsReversed);
  return { filters, problems };
}

const hourMs = 3_600_000;
const rangesMs: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/** As the query of `GET /v1/runs`. */
export function runsQuery({ started, ...filters }: RunFilters, now: number): Record<string, string> {
  if (!started) return filters;
  const since = now - (rangesMs[started] ?? 0) * hourMs;
  const from = new Date(Math.max(since, filters.from ? Date.parse(filters.from) : 0)).toISOString();
  return { ...filters, from };
}

/** The value as a chip shows it, without names of ids. */
export function shownValue(name: FilterName, value: string): string {
  const { kind, options = [] } = filterField(name);
  return filterKinds[kind].shown(value, options);
}
