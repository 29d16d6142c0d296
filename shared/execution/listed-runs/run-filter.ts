import type { WarningCode } from '../../core/warnings.ts';
import { type Run, type RunKind, runKinds } from '../../domain/runs/run.ts';
import type { RunTrigger } from '../../domain/runs/run-origin.ts';

export interface RunsFilter {
  /** Those that the caller may see, at least one. */
  kinds: readonly RunKind[];
  statuses?: readonly Run['status'][] | undefined;
  triggers?: readonly RunTrigger['type'][] | undefined;
  flowId?: string | undefined;
  agentId?: string | undefined;
  toolId?: string | undefined;
  productId?: string | undefined;
  surfaceId?: string | undefined;
  scheduleId?: string | undefined;
  apiKeyId?: string | undefined;
  sessionId?: string | undefined;
  tag?: string | undefined;
  warning?: WarningCode | 'any' | undefined;
  minDurationMs?: number | undefined;
  minCost?: number | undefined;
  /** A part of the message, in any case. */
  error?: string | undefined;
  /** Words, of which each occurs in the name, the error or a tag, in any case. */
  q?: string | undefined;
}

const ownNames = ['flowId', 'agentId', 'toolId', 'sessionId'] as const;
const ofTrigger = ['productId', 'surfaceId', 'scheduleId', 'apiKeyId'] as const;

/** A batch is stored as running until it ends; whether it has begun follows from its records. */
const toStoredStatuses = (statuses: NonNullable<RunsFilter['statuses']>) =>
  statuses.includes('scheduled') ? [...new Set([...statuses, 'running' as const])] : statuses;

/** What DynamoDB can filter by. */
export function toFilterExpression(filter: RunsFilter) {
  const values: Record<string, unknown> = {};
  const toOneOf = (path: string, name: string, wanted: readonly string[]) => {
    const names = wanted.map((value, index) => {
      values[`${name}${index}`] = value;
      return `:${name}${index}`;
    });
    return `${path} IN (${names.join(', ')})`;
  };
  const equal = (path: string, name: (typeof ownNames)[number] | (typeof ofTrigger)[number]) => {
    if (filter[name] === undefined) return [];
    values[name] = filter[name];
    return [`${path}#${name} = :${name}`];
  };
  const { kinds, statuses, triggers, tag, warning } = filter;
  const conditions = [
    ...(kinds.length < runKinds.length ? [toOneOf('#summary.#kind', 'kind', kinds)] : []),
    ...(statuses ? [toOneOf('#summary.#status', 'status', toStoredStatuses(statuses))] : []),
    ...(triggers ? [toOneOf('#summary.#trigger.#type', 'trigger', triggers)] : []),
    ...ownNames.flatMap((name) => equal('#summary.', name)),
    ...ofTrigger.flatMap((name) => equal('#summary.#trigger.', name)),
  ];
  if (tag !== undefined) {
    values.tag = tag;
    conditions.push('contains(#summary.#tags, :tag)');
  }
  if (warning === 'any') conditions.push('attribute_exists(#summary.#warningCodes)');
  else if (warning) {
    values.warning = warning;
    conditions.push('contains(#summary.#warningCodes, :warning)');
  }
  return conditions.length > 0 ? { expression: conditions.join(' AND '), values } : undefined;
}

/** What it cannot. */
export function matchesRun(run: Run, { minDurationMs, minCost, error, q }: RunsFilter, now: Date): boolean {
  return (
    (minDurationMs === undefined || getRunDurationMs(run, now) >= minDurationMs) &&
    (minCost === undefined || Number(run.totalCost ?? 0) >= minCost) &&
    (error === undefined || (run.error?.message.toLowerCase().includes(error.toLowerCase()) ?? false)) &&
    (q === undefined || containsWords(run, q))
  );
}

function containsWords({ name, error, tags = [] }: Run, q: string): boolean {
  const texts = [name, error?.message ?? '', ...tags].map((text) => text.toLowerCase());
  return splitWords(q).every((word) => texts.some((text) => text.includes(word)));
}

const splitWords = (q: string): string[] =>
  q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

export const getRunDurationMs = ({ startedAt, completedAt }: Run, now: Date) =>
  Math.max(0, (completedAt ? Date.parse(completedAt) : now.getTime()) - Date.parse(startedAt));
